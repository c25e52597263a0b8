import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { threadCpuMs } from "../../../src/core/time/thread-cpu.ts";
import { HELPERS } from "../../../src/learn/codegen/helpers.ts";
import { failureKind } from "../../../src/learn/plan/failure-kind.ts";

const SOURCE = new URL("../../../src/learn/plan/failure-kind.ts", import.meta.url);

test("learned code tells kinds by the very function by which they were learned", () => {
  expect(HELPERS.failureKind).toBe(
    readFileSync(SOURCE, "utf8").replace("export function", "function").trimEnd(),
  );
});

type Failed = readonly [message: string, args?: unknown];

const ALIKE: readonly (readonly [what: string, failed: readonly Failed[]])[] = [
  [
    "another flight",
    [
      ["Error: not enough seats on flight HAT030", { flights: [{ number: "HAT030" }] }],
      ["Error: not enough seats on flight HAT271", { flights: [{ number: "HAT271" }] }],
    ],
  ],
  [
    "another file",
    [
      ["ENOENT: no such file or directory, open '/srv/notes/a.md'", { path: "/srv/notes/a.md" }],
      [
        "ENOENT: no such file or directory, open '/srv/notes/plans/b c.md'",
        { path: "/srv/notes/plans/b c.md" },
      ],
    ],
  ],
  [
    "another file, told by Python",
    [
      ["[Errno 2] No such file or directory: 'notes.txt'", { path: "notes.txt" }],
      ["[Errno 2] No such file or directory: 'todo'", { path: "todo" }],
    ],
  ],
  [
    "a maker's own code, in other words",
    [
      ["ORA-00001: unique constraint (SHOP.PEOPLE_PK) violated"],
      ["ORA-00001: unique constraint (SHOP.ORDERS_PK) violated on table ORDERS"],
      ["ORA-00001"],
    ],
  ],
  [
    "another label",
    [
      ["label bug already exists", { name: "bug" }],
      ["label to do already exists", { name: "to do" }],
    ],
  ],
  [
    "another address",
    [
      ['{"message":"Not Found","documentation_url":"https://docs.github.com/rest/repos","status":"404"}'],
      ['{"message":"Not Found","documentation_url":"https://docs.github.com/rest/issues","status":"404"}'],
    ],
  ],
  [
    "another amount in another sentence of the same code",
    [
      ['{"error":{"type":"card_error","code":"card_declined","message":"Your card was declined."}}'],
      ['{"error":{"type":"card_error","code":"card_declined","message":"Declined: 25.00 EUR"}}'],
    ],
  ],
  [
    "another key",
    [
      [
        'duplicate key value violates unique constraint "users_email_key"\nDETAIL: Key (email)=(ada@example.org) already exists.',
      ],
      [
        'duplicate key value violates unique constraint "users_email_key"\nDETAIL: Key (email)=(leo@example.com) already exists.',
      ],
    ],
  ],
  [
    "another table of the statement",
    [
      ['relation "userz" does not exist', { sql: "select * from userz" }],
      ['relation "ordrs" does not exist', { sql: "select id from ordrs where paid" }],
    ],
  ],
  [
    "JSON in a text of JSON",
    [
      [
        '{"error": {"name": "ZodError", "message": "[\\n  {\\n    \\"code\\": \\"invalid_type\\",\\n    \\"path\\": [\\n      \\"query\\"\\n    ],\\n    \\"message\\": \\"Required\\"\\n  }\\n]"}}',
      ],
      [
        '{"error": {"name": "ZodError", "message": "[\\n  {\\n    \\"code\\": \\"invalid_type\\",\\n    \\"path\\": [\\n      \\"limit\\"\\n    ],\\n    \\"message\\": \\"Required\\"\\n  }\\n]"}}',
      ],
    ],
  ],
  ["the client's own words around it", [["MCP error -32603: No such order"], ["Error: No such order"]]],
];

test.each(ALIKE)("of one kind are failures with %s", (_, failed) => {
  const [kind, ...others] = failed.map(([message, args]) => failureKind(message, args));
  expect(kind).not.toBe("");
  expect(
    others.every((other) => other === kind),
    `${kind} and ${others.join(", ")}`,
  ).toBe(true);
});

const OTHER: readonly (readonly [what: string, failed: readonly Failed[]])[] = [
  ["not found and forbidden", [["not found"], ["permission denied"]]],
  [
    "the same behind one general code",
    [["MCP error -32603: not found"], ["MCP error -32603: permission denied"]],
  ],
  ["the same in one general status", [["HTTP 400: not found"], ["HTTP 400: permission denied"]]],
  ["the same in Python's data", [["{'error': 'not_found'}"], ["{'error': 'forbidden'}"]]],
  [
    "the same as all that the arguments say",
    [
      ["not found", { q: "not found" }],
      ["permission denied", { q: "permission denied" }],
    ],
  ],
  ["the same in quotes", [["The tool answered 'forbidden'"], ["The tool answered 'missing'"]]],
  [
    "two numbers of the system",
    [
      ["ENOENT: x", {}],
      ["EACCES: x", {}],
    ],
  ],
  [
    "two faults in JSON in a text of JSON",
    [
      [
        '{"error": {"name": "ZodError", "message": "[\\n  {\\n    \\"code\\": \\"invalid_type\\",\\n    \\"path\\": [\\n      \\"query\\"\\n    ],\\n    \\"message\\": \\"Required\\"\\n  }\\n]"}}',
      ],
      [
        '{"error": {"name": "ZodError", "message": "[\\n  {\\n    \\"code\\": \\"invalid_type\\",\\n    \\"path\\": [\\n      \\"query\\"\\n    ],\\n    \\"message\\": \\"Expected string\\"\\n  }\\n]"}}',
      ],
    ],
  ],
  ["two exit codes", [["Command failed with exit code 2"], ["Command failed with exit code 128"]]],
  ["two return codes", [["copy failed, rc=5"], ["copy failed, rc=13"]]],
  ["two numbers of a database's errors", [["ERROR 1062: x"], ["ERROR 1213: x"]]],
  [
    "what one code for all says",
    [['{"code":"P0001","message":"seat taken"}'], ['{"code":"P0001","message":"card expired"}']],
  ],
  ["two statuses", [["Request failed with status code 404"], ["Request failed with status code 403"]]],
  ["two declines", [['{"error":{"code":"card_declined"}}'], ['{"error":{"code":"expired_card"}}']]],
  [
    "two reasons for one status",
    [
      [
        '{"message":"Validation Failed","errors":[{"resource":"Label","code":"already_exists"}],"status":"422"}',
      ],
      [
        '{"message":"Validation Failed","errors":[{"resource":"Label","code":"missing_field"}],"status":"422"}',
      ],
    ],
  ],
  ["two states of a database", [["ERROR: x (SQLSTATE 42P01)"], ["ERROR: x (SQLSTATE 23505)"]]],
  [
    "a code that is only a value of the call",
    [
      ['{"code":"SAVE20","message":"The coupon is expired"}', { coupon: "SAVE20" }],
      ['{"code":"SAVE20","message":"The coupon does not exist"}', { coupon: "SAVE20" }],
    ],
  ],
  [
    "seats and money",
    [["Error: not enough seats on flight HAT030"], ["Error: not enough balance on card gift_card_1"]],
  ],
];

test.each(OTHER)("of different kinds are %s", (_, failed) => {
  const kinds = failed.map(([message, args]) => failureKind(message, args));
  expect([...new Set(kinds)]).toEqual(kinds);
});

test.each(["", "{}", "17", "#4711", "   "])(
  "a failure that says nothing, such as %j, is of no kind",
  (message) => {
    expect(failureKind(message, {})).toBe("");
  },
);

test("a kind holds no number, id or value of the call", () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[A-Z]{2,4}-?\d{2,6}$/),
      fc.stringMatching(/^z[a-z]{4,12}$/),
      fc.integer({ min: 10 }),
      (id, name, count) => {
        const kind = failureKind(`Cannot move ${id} of ${name} with ${count} parts: it is locked`, {
          id,
          name,
        });
        expect(kind).toBe("cannot move ? of ? with ? parts it is locked");
      },
    ),
  );
});

test("whatever a message says, its kind is told, in time, and the same each time", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), fc.jsonValue(), (message, args) => {
      expect(failureKind(message, args)).toBe(failureKind(message, args));
    }),
  );
  const start = threadCpuMs();
  for (const long of [
    "[{".repeat(2000),
    "{".repeat(4000),
    "'a ".repeat(1300),
    "[ ".repeat(2000),
    "a-".repeat(2000),
  ])
    failureKind(long, { long });
  expect(threadCpuMs() - start).toBeLessThan(2000);
});

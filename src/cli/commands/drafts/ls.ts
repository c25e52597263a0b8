import { Command } from "commander";
import { type AnyDraft, toldState } from "../../../learn/drafts/draft.ts";
import { offerOf } from "../../../learn/drafts/gate.ts";
import type { Plan } from "../../../learn/plan/plan.ts";
import type { RungName } from "../../../learn/verify/evidence.ts";
import { namedSteps } from "../../../learn/plan/steps.ts";
import { type CommonOptions, examples, printJson, withCommonOptions, valueOrThrow } from "../../session.ts";
import { numberText, shortTime } from "../../output/amounts.ts";
import { type Column, table } from "../../output/table.ts";
import { oneLine } from "../../../core/text/display-text.ts";
import { type Paint, terminal } from "../../output/terminal.ts";
import { withDrafts } from "../../with-drafts.ts";
import { commandLine } from "../../../core/text/command-line.ts";

export function draftsLsCommand(): Command {
  return withCommonOptions(new Command("ls"))
    .description("list the drafts, with what was verified of each")
    .addHelpText("after", examples("\nExample:\n  $ repertoire drafts"))
    .action(async (options: CommonOptions) => {
      await withDrafts(options, async ({ drafts: kept }) => {
        const { drafts, broken } = valueOrThrow(await kept.list());
        if (options.json) return printJson({ drafts: drafts.map(listed), broken });
        if (drafts.length === 0)
          console.error(`No drafts in ${kept.root}; "${commandLine("extract")}" makes them`);
        else console.log(draftTable(drafts));
        for (const { error } of broken) console.error(`${error.code}: ${oneLine(error.message)}`);
      });
    });
}

function listed(draft: AnyDraft) {
  const { name, kind, digest, evidence, isStale, isEdited, folder } = draft;
  return {
    name,
    kind,
    state: toldState(draft.state, draft.provenance.history),
    offer: offerOf(draft),
    changedAt: changedAt(draft),
    ...(draft.kind === "written"
      ? { wish: draft.written.wish }
      : { params: draft.plan.params.map((param) => param.name), calls: callCount(draft.plan) }),
    evidence:
      evidence?.rungs.map(({ name: rung, passed, of, low }) => ({ name: rung, passed, of, low })) ?? [],
    isStale,
    isEdited,
    digest,
    folder,
  };
}

function draftTable(drafts: readonly AnyDraft[]): string {
  const { tableColumns, paint } = terminal();
  const now = Date.now();
  const rows = drafts.map((draft) => [
    draft.name,
    {
      text: toldState(draft.state, draft.provenance.history),
      paint: (text: string) => paintedState(draft.state, text, paint),
    },
    ...RUNGS.map(({ name }) => rungCell(draft, name, paint)),
    ...(draft.kind === "written"
      ? ["", ""]
      : [numberText(draft.plan.params.length), numberText(callCount(draft.plan))]),
    shortTime(Date.parse(changedAt(draft)), now),
    noteOf(draft),
  ]);
  return table(COLUMNS, rows, tableColumns, paint);
}

/** Types fit, or a note tells that they do not. */
const RUNGS: readonly { readonly name: RungName; readonly title: string }[] = [
  { name: "cases", title: "cases" },
  { name: "own", title: "own" },
  { name: "twin", title: "twins" },
  { name: "faults", title: "faults" },
  { name: "heldOut", title: "held" },
  { name: "live", title: "live" },
];

const COLUMNS: readonly Column[] = [
  { title: "name" },
  { title: "state" },
  ...RUNGS.map(({ title }): Column => ({ title, align: "right" })),
  { title: "params", align: "right" },
  { title: "calls", align: "right" },
  { title: "changed", align: "right" },
  { title: "", gives: true },
];

function rungCell({ evidence }: AnyDraft, name: RungName, paint: Paint) {
  const rung = evidence?.rungs.find((each) => each.name === name);
  if (!rung) return "";
  const { passed, of } = rung;
  return {
    text: `${numberText(passed)}/${numberText(of)}`,
    paint: (text: string) => paint(passed === of ? "green" : "red", text),
  };
}

function paintedState(state: AnyDraft["state"], text: string, paint: Paint): string {
  switch (state) {
    case "draft":
      return text;
    case "reviewed":
      return paint("cyan", text);
    case "promoted":
      return paint("green", text);
    case "rejected":
      return paint("dim", text);
  }
}

function noteOf(draft: AnyDraft): string {
  const { kind, evidence, isStale, isEdited, state } = draft;
  const [obstacle] = evidence && state === "draft" ? offerOf(draft).obstacles : [];
  const types = evidence?.rungs.find(({ name }) => name === "types");
  const notes = [
    ...(evidence ? [] : [isStale ? "stale" : "unverified"]),
    ...(types && types.passed < types.of ? ["types do not fit"] : []),
    ...(kind === "written" ? ["written by a model"] : []),
    ...(isEdited ? ["edited"] : []),
    ...(obstacle ? [`not offered: ${obstacle.reason}`] : []),
  ];
  return notes.join(", ");
}

function callCount(plan: Plan): number {
  return namedSteps(plan.steps).filter(({ kind }) => kind === "call").length;
}

function changedAt({ provenance }: AnyDraft): string {
  return provenance.history.at(-1)?.at ?? "";
}

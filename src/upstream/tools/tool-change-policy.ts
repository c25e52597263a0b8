/**
 * What follows when a tool is not what it was: `ask` holds a tool whose change is for the stronger until someone accepts
 * it; `tell` only tells of it; `allow` takes every change, and says nothing.
 */
export const TOOL_CHANGE_POLICIES = ["ask", "tell", "allow"] as const;
export type ToolChangePolicy = (typeof TOOL_CHANGE_POLICIES)[number];

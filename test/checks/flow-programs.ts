import * as fc from "fast-check";

/** A small program of three skills, of which each may call those before it; the last one is run. */
export interface FlowProgram {
  readonly root: string;
  /** Code by name. */
  readonly skills: ReadonlyMap<string, string>;
}

/** Ways in which a value `$` of any kind becomes another; each is an expression or several statements that end in one. */
const WAYS: readonly string[] = [
  "$",
  "({ ...Object($) })",
  "({ inner: $, other: 1 })",
  "[$, 'rest']",
  "`<${JSON.stringify($)}>`",
  "'a' + JSON.stringify($)",
  "JSON.parse(JSON.stringify({ held: $ }))",
  "[1, 2].map(() => $)",
  "['x'].reduce((sum, one) => ({ sum, one, last: $ }), {})",
  "(await Promise.all([$, 2, Promise.resolve(3)]))",
  "(await Promise.all([1].map(async () => $)))",
  "await Promise.resolve($).then((one) => ({ one }))",
  "helper($)",
  "await laterHelper($)",
  "new Box($).open()",
  "new Box($)",
  "((one, ...others) => others)('first', $, 'third')",
  "(({ inner: one = 'none', ...others }) => [one, others])(Object($))",
  "(([one, ...others]) => ({ one, others }))([].concat($))",
  "Object.entries(Object($))",
  "Object.fromEntries([['key', $]])",
  "Object.assign({}, { a: 1 }, { given: $ })",
  "[...new Map([['k', $]])]",
  "[...new Set([$])]",
  "new Map([['k', $]]).get('k')",
  "String(JSON.stringify($)).split('').map((one) => one).join('')",
  "String(JSON.stringify($)).replace(/^./, (one) => one + 'x')",
  "[...String(JSON.stringify($))].join('')",
  "(Math.abs(1) > 0 ? $ : 'other')",
  "($ ?? 'nothing')",
  "($ && { yes: $ })",
  "(false || $)",
  "[[[$]]].flat(2)",
  "[{ v: $ }].find((one) => true)",
  "[{ v: $, w: 1 }].filter(Boolean).map(({ v }) => v)",
  "structuredCopy($)",
  "[$].concat(['more']).slice(0, 1)",
  "({ get lazy() { return $; } })",
  "({ toJSON: () => $ })",
  "[...numbered($)]",
  "(() => { const kept = []; kept.push($); return kept; })()",
  "(() => { const o = {}; o['k' + 1] = $; return o; })()",
  "(() => { const o = { list: [] }; const same = o.list; same.push({ one: $ }); return o; })()",
  "(() => { let text = ''; for (const one of String(JSON.stringify($))) text += one; return text; })()",
  "(() => { const out = []; for (const [k, v] of Object.entries({ a: $ })) out.push(v, k); return out; })()",
  "(() => { try { throw new Error(JSON.stringify($)); } catch (error) { return error.message; } })()",
  "(() => { try { throw { carried: $ }; } catch ({ carried }) { return carried; } })()",
  "await Promise.reject(new Error(JSON.stringify($))).catch((error) => String(error))",
  "(() => { const stack = [$]; const f = () => stack.pop(); return f(); })()",
  "((f) => f($))((one) => ({ one }))",
  "helper.bind(null, $)()",
  "helper.call(undefined, $)",
  "helper.apply(null, [$])",
  "(() => { let seen; [1].forEach(() => { seen = $; }); return seen; })()",
  "(() => { shared.last = $; return shared; })()",
  "(() => { remembered = $; return recall(); })()",
  "await new Promise((resolve) => resolve($))",
  "(await Promise.allSettled([Promise.resolve($)])).map((one) => one)",
  "(await Promise.allSettled([Promise.reject(new Error(JSON.stringify($)))])).map(({ reason }) => String(reason))",
  "(() => { const c = new Chain(); return c.add($).add('x').all; })()",
  "Array.from({ length: 2 }, () => $)",
  "(() => { switch (1) { case 1: return [$]; default: return null; } })()",
  "({ [String(JSON.stringify($)).slice(0, 40)]: 'as a key' })",
  "Object.keys({ [String(JSON.stringify($)).slice(0, 40)]: 1 })",
  "(() => { const out = []; for (const k in { [String(JSON.stringify($))]: 1 }) out.push(k); return out; })()",
  "Reflect.get({ held: $ }, 'held')",
  "new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get: () => $ }).a",
  "'constant'",
  "({ fixed: 1 })",
  "[1, 2].map((one) => one * 2)",
];

/**
 * Ways in which a value `$` decides over a variable `@` without being in it, or a call of `src.%` does by failing or by
 * being late.
 */
const DECISIONS: readonly string[] = [
  // Branches
  "let @: any = 0; if (flag($)) @ = 1;",
  "const @: any = flag($) ? 'yes' : 'no';",
  "let @: any = 0; flag($) && (@ = 1);",
  "let @: any = 0; flag($) || (@ = 1);",
  "let @: any = flag($) ? 1 : null; @ ??= 2;",
  "const @: any = ['a', 'b'][flag($) ? 0 : 1];",
  "const @: any = ({ true: () => 'yes', false: () => 'no' } as any)[String(flag($))]();",
  "let @: any = 0; switch (flag($)) { case true: @ = 1; case false: @ += 2; break; default: @ = 9; }",
  "let @: any = 0; switch (1 as number) { case 1: if (flag($)) break; case 2: @ = 5; }",
  "let @: any = 0; switch (1 as number) { case 1: { if (flag($)) break; } @ = 2; break; default: @ = 3; }",
  "let @: any = 0; switch (true) { case ((@ = 1), flag($)): break; case ((@ = 2), true): break; }",
  "let @: any = 0; block: { if (flag($)) break block; @ = 1; }",
  "let @: any = 0; block: { try { if (flag($)) break block; } finally { @ = 1; } @ = 2; }",
  // Loops
  "let @: any = 0; for (const one of [1, 2, 3]) { @ += one; if (flag($)) break; }",
  "let @: any = 0; for (const one of [1, 2, 3]) { if (one > 1) { if (flag($)) continue; } @ += one; }",
  "let @: any = 0; for (let one = 0; one < 3; one++) { @++; switch (one) { case 1: if (flag($)) one = 5; } }",
  "let @: any = 0; for (let one = 0; one < 3; @++, one++) if (flag($)) break;",
  "let @: any = 0; while (@++ < 3) { if (flag($)) break; }",
  "let @: any = 0; do { @++; if (flag($)) continue; @ += 10; } while (@ < 3);",
  "let @: any = 0; outer: for (const a of [1, 2]) { for (const b of [1, 2]) { @ += b; if (flag($)) continue outer; } @ += 10; }",
  "let @: any = 0; outer: for (const a of [1, 2]) { for (const b of [1, 2]) { @ += a; if (flag($)) break outer; } }",
  "let @: any = 0; outer: for (const a of [1, 2]) { @ += a; for (const b of [1, 2]) switch (b) { case 1: if (flag($)) break outer; } }",
  "let @: any = 0; for (const key in flag($) ? { a: 1 } : {}) @ = key;",
  "let @: any = 0; for (const one of flag($) ? [1] : []) @ = one;",
  "let @: any = 0; for (const one of (function* () { @++; yield 1; @++; yield 2; })()) if (flag($)) break;",
  "let @: any = 0; { const steps = (function* () { @ = 1; yield 1; @ = 2; yield 2; })(); steps.next(); if (flag($)) steps.next(); }",
  "let @: any = 0; { const steps = (function* () { try { yield 1; } finally { @ = 2; } })(); steps.next(); if (flag($)) steps.return(); }",
  "let @: any = 0; for await (const one of (async function* () { @++; yield 1; @++; yield 2; })()) if (flag($)) break;",
  "let @: any = 0; for (const one of { *[Symbol.iterator]() { @++; yield 1; @++; yield 2; } }) if (flag($)) break;",
  // Functions
  "const @: any[] = []; (() => { for (const one of [1, 2, 3]) { @.push(one); if (flag($)) return; } })();",
  "const @: any = (() => { { if (flag($)) return 1; } return 2; })();",
  "const @: any = (() => { switch (flag($)) { case true: return 1; } return 2; })();",
  "let @: any = 0; (() => { for (const one of [1]) { if (one) { if (flag($)) return; } } @ = 1; })();",
  "let @: any = 0; const f@ = (n: number): void => { @++; if (n > 2 || flag($)) return; f@(n + 1); }; f@(0);",
  "let @: any = 0; const f@ = () => { @++; }; if (flag($)) f@();",
  "let @: any = 0; const f@ = () => { @++; }; [f@][flag($) ? 0 : 1]?.();",
  "let @: any = 0; (flag($) ? { f() { @ = 1; } } : null)?.f();",
  "let @: any = 0; (flag($) ? [1] : null)?.[((@ = 1), 0)];",
  "let @: any = 0; [1, 2, 3].some(() => { @++; return flag($); });",
  "let @: any = 0; [1, 2, 3].every((one) => { @ = one; return flag($); });",
  "let @: any = 0; [1, 2].filter(() => flag($)).forEach(() => { @++; });",
  "const @: any = [1, 2].filter(() => flag($)).length;",
  "const @: any = [3, 1, 2].sort((a, b) => (flag($) ? a - b : b - a));",
  "const @: any = [1, 2].reduce((sum, one) => (flag($) ? sum : sum + one), 0);",
  "let @: any = 0; try { [1, 2].forEach(() => { @++; if (flag($)) throw new Error('x'); }); } catch {}",
  "let @: any = 0; ((one = (@ = 1)) => one)(flag($) ? undefined : 1);",
  "let @: any = 0; const { missing: m@ = (@ = 5) } = (flag($) ? { missing: 1 } : {}) as any;",
  "let @: any = 0; const [m@ = (@ = 5)] = (flag($) ? [1] : []) as any;",
  // Objects
  "let @: any = 0; { const o = { get g() { @++; return 1; } }; if (flag($)) void o.g; }",
  "let @: any = 0; { const o = { get g() { @++; return 1; } }; JSON.stringify(flag($) ? o : {}); }",
  "let @: any = 0; { const o = { set s(value: any) { @ = value; } }; if (flag($)) o.s = 3; }",
  "let @: any = 0; { class A { get g() { @++; return 1; } } class B extends A {} const b = new B(); if (flag($)) void b.g; }",
  "let @: any = 0; if (flag($)) String({ toString() { @ = 3; return ''; } });",
  "let @: any = 0; { const o = { valueOf() { @ = 3; return 1; } } as any; flag($) ? o + 1 : 0; }",
  "const @: any = { a: 1, b: 2 }; if (flag($)) delete @.a;",
  "const @: any = 'a' in (flag($) ? { a: 1 } : {});",
  "const @: any = Object.keys(flag($) ? { a: 1 } : {}).length;",
  "let @: any = new Map(); if (flag($)) @.set('a', 1); @ = [...@];",
  "const l@ = new Set([1]); if (flag($)) l@.delete(1); const @: any = l@.size;",
  "const m@ = new Map([['a', 1]]); if (flag($)) m@.clear(); const @: any = m@.has('a');",
  "const @: any = [1, 2]; if (flag($)) @.pop();",
  "const @: any = [1, 2]; if (flag($)) @.length = 1;",
  "const @: any = [1, 2]; if (flag($)) @.reverse();",
  "const @: any = []; [].push.apply(@, flag($) ? [1 as never] : []);",
  "const @: any = []; Array.prototype.push.call(@, flag($));",
  "const @: any = []; Reflect.apply(@.push, @, [flag($)]);",
  "const @: any = []; const add@ = @.push.bind(@); add@(flag($));",
  "const @: any = {}; Reflect.set(@, 'a', flag($));",
  "const @: any = {}; Object.defineProperty(@, 'a', { value: flag($), enumerable: true });",
  "const @: any = {}; if (flag($)) Object.assign(@, { a: 1 });",
  "const @: any = Object.freeze({ a: flag($) });",
  "const r@ = /x/g; if (flag($)) r@.test('axb'); const @: any = r@.lastIndex;",
  "const o@: any = Object.create({ get g() { @ = 1; return 1; } }); let @: any = 0; if (flag($)) void o@.g;",
  "let @: any = 0; { const o: any = Object.defineProperty({}, 'g', { get: () => (@ = 1) }); if (flag($)) void o.g; }",
  "let @: any = 0; { const o: any = new Proxy({}, { get: () => (@ = 1) }); if (flag($)) void o.g; }",
  "let @: any = 0; { const o: any = new globalThis.Proxy({}, { has: () => Boolean((@ = 1)) }); if (flag($)) void ('g' in o); }",
  "let @: any = 0; JSON.stringify(flag($) ? { toJSON: () => (@ = 1) } : {});",
  "let @: any = 0; JSON.stringify({ a: 1 }, (_, value) => { if (flag($)) @ = 1; return value; });",
  "let @: any = 0; `${flag($) ? ({ [Symbol.toPrimitive]: () => ((@ = 1), 'x') } as any) : ''}`;",
  "let @: any = 0; { const tag = (_: any, one: any) => { if (one) @ = 1; }; tag`${flag($)}`; }",
  "let @: any = 0; { class A { constructor() { if (flag($)) return; @ = 1; } } new A(); }",
  "let @: any = 0; { class A { static s = flag($) ? (@ = 1) : 0; static { @ += A.s; } } }",
  "let @: any = 0; { class A { m() { @ = 1; } } class B extends A { override m() { if (flag($)) super.m(); } } new B().m(); }",
  "let @: any = 0; { class A { m() { return 1; } } class B extends A { override m() { return 2; } } @ = (flag($) ? new A() : new B()).m(); }",
  "let @: any = 0; { const A = flag($) ? class { v = 1; } : class { v = 2; }; @ = new A().v; }",
  "let @: any = 0; { const on: any = {}; on.a = () => { @ = 1; }; on[flag($) ? 'a' : 'b']?.(); }",
  "let @: any = 0; { const f = ((a: any, b: any) => { if (a) @ = b; }).bind(null, flag($)); f(3); }",
  "let @: any = 0; [() => { @ = 1; }].forEach((f) => { if (flag($)) f(); });",
  "let @: any = 0; JSON.stringify($).replace(/x|./g, (one) => { @++; return one; });",
  "const @: any = Object.keys(Object.groupBy([1, 2], () => String(flag($))));",
  "const @: any = (function () { return arguments.length; } as any)(...(flag($) ? [1] : []));",
  "const @: any = ((...all: any[]) => all.length)(...(flag($) ? [1] : []));",
  "const { length: @ }: any = flag($) ? [1] : [];",
  "const [, @ = 'none']: any = flag($) ? [1, 2] : [1];",
  "const @: any = [...new Set([flag($)])].length && [...new Map([[flag($), 1]]).keys()];",
  "const @: any = Array.from({ length: flag($) ? 1 : 2 }).length;",
  "const @: any = 'ab'.repeat(flag($) ? 1 : 2).length;",
  "let @: any = 0; { let n = 0; const it = { [Symbol.iterator]: () => ({ next: () => { @++; return { done: n++ > 2, value: n }; } }) }; for (const one of it) if (flag($)) break; }",
  "let @: any = 0; { let n = 0; const it = { [Symbol.iterator]: () => ({ next: () => ({ done: n++ > 2, value: n }), return: () => { @ = 1; return {}; } }) }; for (const one of it) if (flag($)) break; }",
  "let @: any = 0; { const it = (function* () { @++; yield* [1, 2]; @++; })(); for (const one of it) if (flag($)) break; }",
  "let @: any = 0; { const inner = function* () { @++; yield 1; @++; yield 2; }; const it = (function* () { yield* inner(); })(); for (const one of it) if (flag($)) break; }",
  "let @: any = 0; { const it = (function* () { try { yield 1; } catch { @ = 1; } })(); it.next(); if (flag($)) it.throw(new Error('x')); }",
  "let @: any = 0; { const it = (function* (): any { @ = yield 1; })(); it.next(); it.next(flag($)); }",
  "let @: any = 0; await { then(done: any) { if (flag($)) @ = 1; done(); } };",
  "let @: any = 0; { const step = (n: number): any => (n > 2 ? n : flag($) ? step(n + 1) : () => n); @ = typeof step(0); }",
  "let @: any = 0; { const state = { count: 0, add() { this.count++; return this; } }; if (flag($)) state.add().add(); @ = state.count; }",
  "let @: any = 0; { const [a, b] = flag($) ? [1, 2] : [2, 1]; @ = { a, b }; }",
  "let @: any = 0; for (let a = flag($) ? 1 : 2; a < 3; a++) @++;",
  "let @: any = 0; (flag($), (@ = 1)); @ += flag($) as any;",
  "const @: any = typeof (flag($) ? 1 : '1');",
  "const @: any = [flag($) ? 1 : 2].includes(1) ? 'in' : 'out';",
  "const @: any = new Date(flag($) ? 0 : 1e12).toISOString();",
  // Errors
  "let @: any = 0; try { @ = 1; if (flag($)) throw new Error('x'); @ = 2; } catch {}",
  "let @: any = 0; try { demand(flag($)); @ = 2; } catch { @ += 1; }",
  "let @: any = 0; try { for (const one of [1, 2]) { @++; demand(flag($)); } } catch {}",
  "let @: any = 0; try { try { demand(flag($)); @ = 1; } finally { @ += 10; } } catch {}",
  "let @: any = 0; (() => { try { demand(flag($)); @ = 1; } finally { return; } })();",
  "let @: any = 0; try { demand(flag($)); } catch (error: any) { @ = error.message; }",
  "let @: any = 0; try { if (flag($)) throw { level: 3 }; } catch ({ level }: any) { @ = level; }",
  "const @: any = (() => { try { JSON.parse(flag($) ? '1' : '{'); return 'good'; } catch { return 'bad'; } })();",
  "const @: any = (() => { try { (flag($) ? ({ a: {} } as any) : {}).a.b; return 'good'; } catch { return 'bad'; } })();",
  "const @: any = (() => { try { demand(flag($)); } catch { return 1; } return 2; })();",
  "let @: any = 0; for (const one of [1, 2]) { try { demand(flag($)); } catch { break; } @ = one; }",
  "const @: any = await (async () => { demand(flag($)); return 'good'; })().catch(() => 'bad');",
  "let @: any = 0; await (async () => { demand(flag($)); @ = 1; })().then(() => { @ = 2; }).catch(() => {});",
  "let @: any = 0; { const p = (async () => { demand(flag($)); return 1; })(); try { await p; @ = 1; } catch {} }",
  "let @: any = 0; { const p = flag($) ? Promise.resolve(1) : Promise.reject(new Error('x')); try { await p; @ = 1; } catch {} }",
  "let @: any = 0; { const p = new Promise<void>((done, fail) => (flag($) ? done() : fail(new Error('x')))); await p.then(() => { @ = 1; }, () => { @ = 2; }); }",
  "const @: any = (await Promise.allSettled([(async () => demand(flag($)))()])).map(({ status }) => status);",
  // Calls that fail
  "let @: any = 0; try { await call_tool('src.%', {}); @ = 1; } catch { @ = 2; }",
  "let @: any = 0; try { await call_tool('src.%', {}); @ = 1; } catch {}",
  "let @: any = 0; try { await call_tool('out.%', { a: 'tried' }); @ = 1; } catch {}",
  "const @: any = await call_tool('src.%', {}).then(() => 'yes', () => 'no');",
  "const @: any = await call_tool('src.%', {}).then(() => 'yes').catch(() => 'no');",
  "let @: any = 0; await call_tool('src.%', {}).catch(() => { @ = 1; });",
  "let @: any = 0; await call_tool('src.%', {}).then(() => { @ = 1; }).catch(() => {});",
  "let @: any = 0; await call_tool('src.%', {}).finally(() => { @ += 1; }).then(() => { @ += 1; }, () => {});",
  "const @: any = 1; try { await call_tool('src.%', {}); await call_tool('out.one', { a: 'after' }); } catch {}",
  "const @: any = 1; try { await call_tool('src.%', {}); } catch { await call_tool('out.two', { a: 'failed' }); }",
  "const @: any = 1; await call_tool('src.%', {}).catch(async () => call_tool('out.two', { a: 'failed' }));",
  "let @: any = 0; { const p = call_tool('src.%', {}); try { await p; @ = 1; } catch { @ = 2; } }",
  "let @: any = 0; { const read = () => call_tool('src.%', {}); try { await read(); @ = 1; } catch {} }",
  "let @: any = 0; { const read = async () => { await call_tool('src.%', {}); @ = 1; }; await read().catch(() => {}); }",
  "let @: any = 0; for (const one of [1, 2]) { try { await call_tool('src.%', {}); } catch { continue; } @ += one; }",
  "let @: any = 0; for (const one of [1, 2]) { @++; try { await call_tool('src.%', {}); break; } catch {} }",
  "const @: any = await (async () => { try { await call_tool('src.%', {}); } catch { return 'bad'; } return 'good'; })();",
  "const @: any = (await Promise.allSettled([call_tool('src.%', {})])).map(({ status }) => status);",
  "let @: any = 0; try { await Promise.all([call_tool('src.%', {}), 1]); @ = 1; } catch {}",
  "let @: any = 0; try { await Promise.all([1, 2].map(async (one) => { await call_tool('src.%', {}); @ += one; })); } catch {}",
  "const @: any = await Promise.any([call_tool('src.%', {}).then(() => 'first'), 'other']).catch(() => 'none');",
  "let @: any = 0; { const ask = call_tool; try { await ask('src.%', {}); @ = 1; } catch {} }",
  "let @: any = 0; { const all = new Map([['p', call_tool('src.%', {})]]); try { await all.get('p'); @ = 1; } catch {} }",
  "let @: any = 0; await [call_tool('src.%', {})][0]?.catch(() => { @ = 1; });",
  "let @: any = 0; { const onError = () => { @ = 1; }; await call_tool('src.%', {}).then(undefined, onError); }",
  "let @: any = 0; { const tried = async (work: () => Promise<any>) => { try { await work(); return true; } catch { return false; } }; @ = await tried(() => call_tool('src.%', {})); }",
  "let @: any = 0; { const tried = async (work: () => Promise<any>) => work().then(() => true, () => false); @ = await tried(async () => call_tool('src.%', {})); }",
  "let @: any = 0; { let left = 3; while (left-- > 0) { try { await call_tool('src.%', {}); @ = left; break; } catch { @--; } } }",
  "let @: any = 0; { const read = async () => { try { return await call_tool('src.%', {}); } finally { @++; } }; await read().then(() => { @ = 5; }).catch(() => {}); }",
  "const @: any = 1; { const save = async (a: string) => call_tool('out.one', { a }); try { await call_tool('src.%', {}); await save('late'); } catch { await save('failed'); } }",
  "const @: any = 1; await call_tool('src.%', {}).then(() => call_tool('out.one', { a: 'late' })).catch(() => {});",
  "const @: any = []; for await (const one of [call_tool('src.%', {}).then(() => 1, () => 2)]) @.push(one);",
  "let @: any = 0; { const p = call_tool('src.%', {}); p.catch(() => { @ = 1; }); await p.then(() => {}, () => {}); }",
  "let @: any = 0; { const [done, failed] = await Promise.allSettled([call_tool('src.one', {}), call_tool('src.two', {})]); if (done.status === 'rejected' || failed.status === 'rejected') @ = 1; }",
  // Which call answers first
  "const @: any = await Promise.race([call_tool('src.one', {}).then(() => 'one'), call_tool('src.two', {}).then(() => 'two')]).catch(() => 'x');",
  "const @: any = await Promise.any([call_tool('src.one', {}).then(() => 'one'), call_tool('src.two', {}).then(() => 'two')]).catch(() => 'x');",
  "const @: any = []; await Promise.all([call_tool('src.one', {}).then(() => @.push('one')), call_tool('src.two', {}).then(() => @.push('two'))]);",
  "let @: any = ''; await Promise.all(['one', 'two'].map(async (one) => { await call_tool(one === 'one' ? 'src.one' : 'src.two', {}); @ = one; }));",
  "let @: any = ''; { const read = async (name: 'src.one' | 'src.two') => { await call_tool(name, {}); @ += name; }; const both = [read('src.one'), read('src.two')]; await Promise.all(both); }",
  "const @: any = await new Promise((done) => { call_tool('src.one', {}).then(() => done('one')); call_tool('src.two', {}).then(() => done('two')); });",
  "let @: any = 0; { let late = 0; const p = call_tool('src.one', {}).then(() => { @ = late; }); await call_tool('src.two', {}); late = 1; await p; }",
  "const @: any = { first: '' }; { const set = (name: string) => { @.first ||= name; }; const a = call_tool('src.one', {}); const b = call_tool('src.two', {}); a.then(() => set('one')); b.then(() => set('two')); await Promise.all([a, b]); }",
  "let @: any = 0; await Promise.all([call_tool('src.one', {}).then(() => { @ = 1; }), call_tool('src.two', {}).then(() => { @ = 2; })]).catch(() => {});",
  "let @: any = 0; await Promise.all([call_tool('src.one', {}).then(() => { @ = 1; }), Promise.reject(new Error('x'))]).catch(() => {});",
  "let @: any = 0; call_tool('src.one', {}).then(() => { @ = 1; }); await call_tool('src.two', {});",
  "const @: any[] = []; { const log = (one: string) => { @.push(one); }; const work = async (one: 'src.one' | 'src.two') => { await call_tool(one, {}); log(one); }; await Promise.all([work('src.one'), work('src.two')]); }",
  "let @: any = 0; { const state = { busy: false, missed: 0 }; const work = async (one: 'src.one' | 'src.two') => { await call_tool(one, {}); if (state.busy) state.missed = one === 'src.one' ? 1 : 2; state.busy = true; }; await Promise.all([work('src.one'), work('src.two')]); @ = state.missed; }",
  "let @: any = new Map(); await Promise.all((['src.one', 'src.two'] as const).map((one) => call_tool(one, {}).then(() => @.set(one, 1)))); @ = [...@];",
  "let @: any = ''; { const todo = ['a', 'b', 'c']; const work = async (tool: 'src.one' | 'src.two') => { for (let one = todo.shift(); one; one = todo.shift()) { await call_tool(tool, {}); if (tool === 'src.one') @ += one; } }; await Promise.all([work('src.one'), work('src.two')]); }",
  // Calls that are made or not
  "const @: any = 1; if (flag($)) await call_tool('out.%', { a: 'maybe' });",
  "const @: any = 1; await call_tool(flag($) ? 'out.one' : 'out.two', { a: 'either' });",
  "const @: any = 1; for (const one of [1, 2]) { await call_tool('out.%', { a: one }); if (flag($)) break; }",
  "const @: any = 1; if (flag($)) await call_skill('&', { x: 'fixed' });",
  "let @: any = 0; try { await call_skill('&', { x: 'fixed' }); @ = 1; } catch { @ = 2; }",
  "const @: any = await call_skill('&', { x: $ }).then(() => 'yes', () => 'no');",
  "const @: any = 1; if (flag($)) throw new Error('refused');",
  "const @: any = 1; if (flag($)) return { early: true };",
];

const COMMON = `
function flag(value: any): boolean { return (JSON.stringify(value) ?? "").length % 2 === 0; }
function demand(value: any): void { if (value) throw new Error("demanded"); }
const shared: any = { last: null };
let remembered: any = null;
function recall(): any { return [remembered]; }
function helper(value: any): any { return { helped: value }; }
async function laterHelper(value: any, extra = [value]): Promise<any> { await null; return extra; }
function structuredCopy(value: any): any {
  if (Array.isArray(value)) return value.map(structuredCopy);
  if (value === null || typeof value !== "object") return value;
  const copy: any = {};
  for (const key of Object.keys(value)) copy[key] = structuredCopy(value[key]);
  return copy;
}
function* numbered(value: any): any { yield 1; yield value; }
class Box { #held: any; constructor(held: any) { this.#held = held; } open(): any { return this.#held; } toJSON(): any { return { held: this.#held }; } }
class List { items: any[] = []; get all(): any { return [...this.items]; } }
class Chain extends List { add(one: any): this { this.items.push(one); return this; } }
`;

interface Statement {
  readonly what: number;
  readonly way: number;
  readonly of: number;
  readonly also: number;
  readonly decision: number;
  readonly isWritten: boolean;
}

const statement: fc.Arbitrary<Statement> = fc.record({
  what: fc.nat(99),
  way: fc.nat(WAYS.length - 1),
  of: fc.nat(20),
  also: fc.nat(20),
  decision: fc.nat(DECISIONS.length - 1),
  isWritten: fc.boolean(),
});
const body = fc.array(statement, { minLength: 2, maxLength: 7 });

/** A program for each decision: one answer decides over one call that writes. */
export function decisionPrograms(): readonly FlowProgram[] {
  return DECISIONS.map((decision, number) => {
    const [callee, root] = [`d${number}-a`, `d${number}-b`];
    const reading = `const answer: any = await call_tool("src.one", {});`;
    const place = { name: "v", value: "answer", number: "one", callee };
    const code = (body: string): string =>
      `${COMMON}\nexport default async function run(input: { x?: unknown }): Promise<unknown> {\n  ${body}\n}`;
    return {
      root,
      skills: new Map([
        [callee, code(`${reading} demand(flag(answer)); await call_tool("out.two", { a: 1 }); return 1;`)],
        [root, code(`${reading} ${decided(decision, place)} await call_tool("out.one", { v }); return 1;`)],
      ]),
    };
  });
}

/** So many programs, the same ones for the same seed. */
export function flowPrograms(count: number, seed: number): readonly FlowProgram[] {
  return fc.sample(fc.tuple(body, body, body), { numRuns: count, seed }).map((bodies, number) => {
    const names = bodies.map((_, index) => `p${number}-${"abc"[index] ?? ""}`);
    const skills = new Map(
      bodies.map((statements, index) => [
        names[index] ?? "",
        skillCode(statements, names.slice(0, index), index === 2),
      ]),
    );
    return { root: names[2] ?? "", skills };
  });
}

const FIRST_WITH_SKILL = DECISIONS.findIndex((each) => each.includes("call_skill"));

function decided(
  decision: string,
  { name, value, number, callee }: Readonly<Record<"name" | "value" | "number" | "callee", string>>,
): string {
  return decision
    .replaceAll("@", name)
    .replaceAll("$", () => value)
    .replaceAll("%", number)
    .replaceAll("'&'", `"${callee}"`);
}

function skillCode(statements: readonly Statement[], callees: readonly string[], isRoot: boolean): string {
  const variables = ["input", "input.x"];
  const lines = statements.map(({ what, way, of, also, decision, isWritten }, index) => {
    const value = variables[of % variables.length] ?? "input";
    const other = variables[also % variables.length] ?? "input";
    const name = `v${index}`;
    variables.push(name);
    const number = ["one", "two"][also % 2] ?? "one";
    if (what < 20) return `const ${name}: any = await call_tool("src.${number}", { about: ${value} });`;
    if (what < 35 && callees.length > 0)
      return `const ${name}: any = await call_skill("${callees[also % callees.length] ?? ""}", { x: ${value} });`;
    if (what < 40) return `const { text: ${name} }: any = await call_tool("src.${number}", {});`;
    if (what < 52)
      return `await call_tool("out.${number}", { a: ${value}, b: "constant", c: { d: ${other} } }); const ${name}: any = "done";`;
    if (what < 56)
      return `await call_tool("out.${number}", Object(${value}) === ${value} && !Array.isArray(${value}) ? ${value} : { a: 1 }); const ${name}: any = ${other};`;
    if (what < 60)
      return `let ${name}: any = 0; try { ${name} = await call_tool("src.fails", { about: ${value} }); } catch (error: any) { ${name} = error.message; }`;
    if (what < 64)
      return `let ${name}: any = ${other}; for (const one of [].concat(${value} as any)) { ${name} = { before: ${name}, one }; }`;
    if (what < 68)
      return `let ${name}: any = "no"; if (JSON.stringify(${value})?.length > 3) { ${name} = ${other}; } else { ${name} = [${other}, 1]; }`;
    if (what < 84) {
      const written = isWritten ? ` await call_tool("out.${number}", { decided: ${name} });` : "";
      const decides = callees.length > 0 ? DECISIONS[decision] : DECISIONS[decision % FIRST_WITH_SKILL];
      return (
        decided(decides ?? "", { name, value, number, callee: callees[also % callees.length] ?? "" }) +
        written
      );
    }
    return `const ${name}: any = ${(WAYS[way] ?? "$").replaceAll("$", () => value)};`;
  });
  const last = variables.at(-1) ?? "input";
  const some = variables[Math.floor(variables.length / 2)] ?? "input";
  const end = isRoot ? `await call_tool("out.one", { last: ${last}, ways: [${some}] });` : "";
  return `${COMMON}
export default async function run(input: { x?: unknown }): Promise<unknown> {
  ${lines.join("\n  ")}
  ${end}
  return { last: ${last}, some: ${some} };
}`;
}

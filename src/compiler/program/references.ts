import ts from "typescript";

/** Where the files of a skill mention a symbol; worked out when first asked for. */
export class References {
  readonly #checker: ts.TypeChecker;
  readonly #files: readonly ts.SourceFile[];
  #bySymbol: Map<ts.Symbol, ts.Identifier[]> | undefined;

  constructor(checker: ts.TypeChecker, files: readonly ts.SourceFile[]) {
    this.#checker = checker;
    this.#files = files;
  }

  /** In the order of the text; the declared name is among them. */
  of(symbol: ts.Symbol): readonly ts.Identifier[] {
    this.#bySymbol ??= this.#index();
    return this.#bySymbol.get(this.#target(symbol)) ?? [];
  }

  #index(): Map<ts.Symbol, ts.Identifier[]> {
    const bySymbol = new Map<ts.Symbol, ts.Identifier[]>();
    const open: ts.Node[] = this.#files.toReversed();
    for (let node = open.pop(); node; node = open.pop()) {
      if (ts.isIdentifier(node)) this.#add(bySymbol, node);
      const children: ts.Node[] = [];
      ts.forEachChild(node, (child) => void children.push(child));
      open.push(...children.toReversed());
    }
    return bySymbol;
  }

  #add(bySymbol: Map<ts.Symbol, ts.Identifier[]>, identifier: ts.Identifier): void {
    const symbol = this.#checker.getSymbolAtLocation(identifier);
    if (!symbol) return;
    const target = this.#target(symbol);
    const known = bySymbol.get(target);
    if (known) known.push(identifier);
    else bySymbol.set(target, [identifier]);
  }

  /** What an imported name stands for. */
  #target(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }
}

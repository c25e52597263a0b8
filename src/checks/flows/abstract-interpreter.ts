import ts from "typescript";
import { withoutAssertions } from "../../compiler/program/literal-schema.ts";
import type { References } from "../../compiler/program/references.ts";
import { isAuthored } from "../../compiler/program/ts-program.ts";
import { exportedSymbol } from "../../compiler/program/default-export.ts";
import { staticNames } from "../../compiler/program/static-names.ts";
import { Heap, type Allocation, allocation, type AbstractValue, type AbstractValues } from "./heap.ts";
import { ENDS_EARLY, MATCHES, NEVER_THROWS, OVER_ELEMENTS, PURE, TAKES_CALLBACK } from "./library-calls.ts";

/** A call of the world's functions, with what it is given. */
export interface HostCall {
  readonly kind: "skill" | "tool";
  readonly at: ts.Node;
  readonly names: readonly string[] | undefined;
  readonly args: AbstractValues;
  readonly argument: ts.Node | undefined;
}

/** A statement that leaves those around it, and what decides whether it does. */
interface Exit {
  readonly target: ts.Node;
  readonly decides: AbstractValues;
}

/** What is known of a function, whoever calls it. */
export interface FunctionSummary {
  readonly thing: AbstractValue;
  readonly parameters: AbstractValues[];
  /** What any parameter can be. */
  readonly anyParameter: AbstractValues;
  readonly self: AbstractValues;
  /** What decides whether it is called. */
  readonly decides: AbstractValues;
  readonly gives: AbstractValues;
  /** What decides which of its results it gives. */
  readonly leaves: AbstractValues;
  readonly returns: Map<ts.Node, AbstractValues>;
  /** What decides whether it throws. */
  readonly throws: AbstractValues;
  /** Whether it is called where what it throws is caught, so that it matters. */
  isTried: boolean;
  /** What calling a generator gives. */
  readonly generator: Allocation | undefined;
  /** Whether it gives a promise, and whether it may run after an answer has come. */
  isPromising: boolean;
  isLater: boolean;
  /** Whether it is the skill itself, which nothing in the code catches. */
  isEntry: boolean;
}

/** Code was met that can do what its text does not show. */
export class Unfollowed extends Error {}

/**
 * Runs a skill's code over what values can be rather than over values, again and again until nothing is added: every
 * branch, every function, in any order. What code does that is not known here is taken to mix all that it touches.
 */
export class AbstractInterpreter {
  readonly heap: Heap;
  readonly calls: HostCall[] = [];
  /** All that the code may throw. */
  readonly thrown: AbstractValues = new Set();
  readonly #checker: ts.TypeChecker;
  readonly #files: readonly ts.SourceFile[];
  readonly #references: References;
  readonly #variables = new Map<ts.Symbol, AbstractValues>();
  readonly #made = new Map<ts.Node, Map<string, Allocation>>();
  readonly #bodies = new Map<AbstractValue, FunctionSummary>();
  readonly #bodyOf = new Map<ts.Node, FunctionSummary>();
  readonly #callOf = new Map<ts.Node, Map<string, number>>();
  readonly #places = new Map<AbstractValue, Map<string, ts.Node>>();
  readonly #instances = new Map<AbstractValue, Allocation>();
  /** What decides whether the code that is looked at runs. */
  #decides: AbstractValues = new Set();
  /** Whether what is thrown is caught, and what has decided so far whether something is. */
  #isTried = false;
  #risk: AbstractValues = new Set();
  /** Where the function that is looked at goes on elsewhere than at its next statement. */
  #exits: Exit[] = [];
  /** What decides whether a loop ends before its end. */
  readonly #endsOf = new Map<ts.Node, AbstractValues>();
  /** Whether calls may wait for answers at the same time, so that which comes first decides. */
  #isConcurrent = false;
  /** Whether the code handles rejected promises as values, and whether it handles errors by `try`. */
  readonly #catchesRejections: boolean;
  readonly #hasTry: boolean;
  #hasGetters = false;
  /** Whether it is known which function is the skill itself. */
  #hasStarted = false;
  /** Variables that more than one function uses. */
  readonly #shared = new Set<ts.Symbol>();
  #body: FunctionSummary | undefined;
  #self: AbstractValues = new Set();

  constructor(checker: ts.TypeChecker, files: readonly ts.SourceFile[], references: References) {
    this.#checker = checker;
    this.#files = files;
    this.#references = references;
    this.#catchesRejections = files.some(catchesRejections);
    this.#hasTry = files.some(hasTry);
    this.heap = new Heap((thing) => this.#bodies.get(thing)?.gives);
  }

  /** Runs until nothing is added; throws where the code cannot be followed, or the time is over. */
  run(): void {
    do {
      this.heap.hasGrown = false;

      this.#exits = [];
      for (const file of this.#files) this.#statements(file.statements);
      this.#start();
      if (!this.#hasStarted) this.heap.hasGrown = true;
      this.#hasStarted = true;
    } while (this.heap.hasGrown);
    if (this.entries().size === 0) throw new Unfollowed();
  }

  /** The functions that a call of the skill runs, with where they give what. */
  entries(): ReadonlySet<FunctionSummary> {
    const [file] = this.#files;
    const symbol = file && exportedSymbol(this.#checker, file, "default");
    const bodies = [...(symbol ? this.#valueOf(symbol) : [])].flatMap((each) => this.#bodies.get(each) ?? []);
    return new Set(bodies);
  }

  /** Where a thing is given a property. */
  placeOf(thing: AbstractValue, property: string): ts.Node | undefined {
    return this.#places.get(thing)?.get(property);
  }

  #start(): void {
    const [file] = this.#files;
    const symbol = file && exportedSymbol(this.#checker, file, "default");
    const input = new Set([this.heap.data("input")]);
    for (const thing of symbol ? this.#valueOf(symbol) : []) {
      const body = this.#bodies.get(thing);
      if (body) {
        body.isEntry = true;
        this.#text(this.#callFunction(thing, new Set(), [input], new Set(), true));
      }
      if (thing.kind === "library") throw new Unfollowed();
    }
  }

  // --- statements

  #statements(statements: readonly ts.Statement[]): void {
    const before = this.#decides;
    for (const each of statements) if (ts.isFunctionDeclaration(each)) this.#function(each);
    for (const statement of statements) {
      const { length } = this.#exits;
      this.#statement(statement);
      // What follows runs only where nothing has left.
      this.#afterExits(this.#exits.slice(length).filter(({ target }) => !isWithin(target, statement)));
      if (this.#isTried) this.#decides = union(this.#decides, this.#risk);
    }
    this.#decides = before;
  }

  #afterExits(exits: readonly Exit[]): void {
    if (exits.length > 0) this.#decides = union(this.#decides, ...exits.map(({ decides }) => decides));
  }

  /** The code goes on behind the target, or with its next round. */
  #exit(from: ts.Node, target: ts.Node, isRound = false): void {
    this.#exits.push({ target, decides: this.#decides });
    for (let node = from; node !== target && node.parent; node = node.parent)
      if (ts.isIterationStatement(node, false)) this.heap.add(this.#endOf(node), this.#decides);
    if (!isRound && ts.isIterationStatement(target, false)) this.heap.add(this.#endOf(target), this.#decides);
  }

  #endOf(loop: ts.Node): AbstractValues {
    const known = this.#endsOf.get(loop) ?? new Set();
    this.#endsOf.set(loop, known);
    return known;
  }

  /** A loop goes on by what is gone over or tested, and as long as nothing ends it. */
  #loop(node: ts.IterationStatement, goesOnBy: AbstractValues, work: () => void): void {
    this.#where([...goesOnBy, ...this.#endOf(node)], () => {
      work();
      this.#statement(node.statement);
      if (this.#isTried) this.heap.add(this.#endOf(node), this.#risk);
    });
  }

  #statement(node: ts.Node): void {
    this.heap.step();
    if (ts.isFunctionDeclaration(node)) this.#function(node);
    else if (ts.isClassDeclaration(node)) {
      const value = this.#class(node);
      const symbol = this.#checker.getSymbolAtLocation(node.name ?? node) ?? symbolOf(node);
      if (symbol) this.#assignVariable(symbol, value);
    } else if (ts.isBlock(node)) this.#statements(node.statements);
    else if (ts.isVariableDeclarationList(node))
      for (const each of node.declarations) this.#declaration(each);
    else if (ts.isVariableStatement(node)) this.#statement(node.declarationList);
    else if (ts.isIfStatement(node)) {
      const condition = this.#value(node.expression);
      this.#where(condition, () => {
        this.#statement(node.thenStatement);
        if (node.elseStatement) this.#statement(node.elseStatement);
      });
    } else if (ts.isForOfStatement(node)) {
      const list = this.#value(node.expression);
      this.#mayThrow(list);
      const elements = this.#awaited(this.#elements(list));
      this.#loop(node, list, () => this.#loopVariable(node.initializer, elements));
      this.#resume(list, union(this.#decides, this.#endOf(node)));
    } else if (ts.isForInStatement(node)) {
      const owner = this.#value(node.expression);
      this.#loop(node, owner, () => this.#loopVariable(node.initializer, this.#text(owner)));
    } else if (ts.isForStatement(node)) {
      if (node.initializer)
        if (ts.isVariableDeclarationList(node.initializer)) this.#statement(node.initializer);
        else this.#value(node.initializer);
      this.#loop(node, this.#condition(node, node.condition), () => {
        if (node.incrementor) this.#value(node.incrementor);
      });
    } else if (ts.isWhileStatement(node) || ts.isDoStatement(node)) {
      this.#loop(node, this.#condition(node, node.expression), () => undefined);
    } else if (ts.isSwitchStatement(node)) {
      this.#switch(node);
    } else if (ts.isReturnStatement(node)) {
      this.#returns(node.expression ?? node, node.expression ? this.#value(node.expression) : new Set());
      this.#exit(node, ts.findAncestor(node, ts.isFunctionLike) ?? node.getSourceFile());
    } else if (ts.isThrowStatement(node)) {
      this.heap.add(this.thrown, [...this.#value(node.expression), ...this.#decides]);
      this.#mayThrow(this.#decides);
    } else if (ts.isTryStatement(node)) {
      this.#try(node);
    } else if (ts.isExpressionStatement(node)) this.#value(node.expression);
    else if (ts.isBreakOrContinueStatement(node))
      this.#exit(node, targetOf(node), ts.isContinueStatement(node));
    else if (ts.isLabeledStatement(node)) this.#statement(node.statement);
    else if (ts.isExportAssignment(node)) {
      const symbol = symbolOf(node);
      const value = this.#value(node.expression);
      if (symbol) this.#assignVariable(symbol, value);
    } else if (isOnlyType(node)) return;
    else if (ts.isEnumDeclaration(node)) this.#enum(node);
    else if (ts.isModuleDeclaration(node)) {
      if (node.body && ts.isModuleBlock(node.body)) this.#statements(node.body.statements);
    } else if (ts.isWithStatement(node)) throw new Unfollowed();
    else
      ts.forEachChild(
        node,
        (child) => void (ts.isExpression(child) ? this.#value(child) : this.#statement(child)),
      );
  }

  #condition(loop: ts.IterationStatement, tested: ts.Expression | undefined): AbstractValues {
    const condition: { of: AbstractValues } = { of: new Set() };
    this.#where(this.#endOf(loop), () => {
      if (tested) condition.of = this.#value(tested);
    });
    return condition.of;
  }

  #switch({ expression, caseBlock }: ts.SwitchStatement): void {
    const tested = this.#value(expression);
    const before = this.#decides;
    for (const clause of caseBlock.clauses)
      if (ts.isCaseClause(clause))
        this.#where([...tested], () => addTo(tested, this.#value(clause.expression)));
    this.#where(tested, () => {
      for (const clause of caseBlock.clauses) {
        const { length } = this.#exits;
        this.#statements(clause.statements);
        // It falls through into the next one where nothing has left.
        this.#afterExits(this.#exits.slice(length).filter(({ target }) => !isWithin(target, clause)));
      }
    });
    this.#decides = before;
  }

  #try({ tryBlock, catchClause, finallyBlock }: ts.TryStatement): void {
    const before = { isTried: this.#isTried, risk: this.#risk };
    this.#isTried = true;
    this.#risk = new Set();
    this.#statement(tryBlock);
    const risk = this.#risk;
    this.#isTried = before.isTried;
    this.#risk = before.risk;
    if (catchClause) {
      const { variableDeclaration, block } = catchClause;
      if (variableDeclaration) this.#bind(variableDeclaration.name, this.#caught());
      this.#where(risk, () => this.#statement(block));
    } else this.#mayThrow(risk);
    if (finallyBlock) this.#where(leaves(finallyBlock) ? risk : [], () => this.#statement(finallyBlock));
  }

  #enum(node: ts.EnumDeclaration): void {
    const thing = this.#make(node, "object");
    for (const { initializer } of node.members)
      if (initializer) this.heap.add(thing.rest, this.#value(initializer));
    const symbol = this.#checker.getSymbolAtLocation(node.name);
    if (symbol) this.#assignVariable(symbol, new Set([thing]));
  }

  #where(condition: Iterable<AbstractValue>, work: () => void): void {
    const before = this.#decides;
    this.#decides = union(before, this.heap.choice(condition));
    work();
    this.#decides = before;
  }

  /** Something throws or not by what values are, as far as anyone catches it. */
  #mayThrow(values: Iterable<AbstractValue>): void {
    if (!this.#isTried) return;
    for (const each of values) if (each.kind === "data") this.#risk.add(this.heap.weaker(each, "choice"));
  }

  #loopVariable(node: ts.ForInitializer, values: AbstractValues): void {
    if (!ts.isVariableDeclarationList(node)) return this.#assign(node, values);
    for (const { name } of node.declarations) this.#bind(name, values);
  }

  #declaration(node: ts.VariableDeclaration): void {
    if (node.initializer) this.#bind(node.name, this.#value(node.initializer));
  }

  #returns(node: ts.Node, values: AbstractValues): void {
    if (!this.#body) return;
    const { gives, returns, leaves: left, generator } = this.#body;
    this.heap.add(left, this.#decides);
    const all = union(values, left);
    const known = returns.get(node) ?? new Set();
    returns.set(node, known);
    this.heap.add(known, all);
    if (generator) this.heap.add(generator.rest, all);
    else this.heap.add(gives, all);
  }

  /** An error can quote whatever the code has had in its hands. */
  #caught(): AbstractValues {
    const caught = new Set(this.thrown);
    for (const thing of this.everything()) caught.add(thing);
    caught.add(this.heap.library);
    return caught;
  }

  /** Whatever comes from outside, not followed. */
  everything(): AbstractValues {
    const all: AbstractValues = new Set([this.heap.data("input", undefined, "unfollowed")]);
    for (const call of this.calls.keys()) {
      all.add(this.heap.data(call, undefined, "unfollowed"));
      all.add(this.heap.data(call, undefined, "unfollowed", true));
    }
    return all;
  }

  // --- variables and patterns

  #valueOf(symbol: ts.Symbol): AbstractValues {
    const target = symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    const known = this.#variables.get(target);
    if (known) return known;
    const fresh: AbstractValues = new Set();
    this.#variables.set(target, fresh);
    return fresh;
  }

  #assignVariable(symbol: ts.Symbol, values: Iterable<AbstractValue>): void {
    const variable = this.#valueOf(symbol);
    this.heap.add(variable, values);
    this.heap.add(variable, this.#decides);
  }

  #bind(name: ts.BindingName, values: AbstractValues): void {
    if (ts.isIdentifier(name)) {
      const symbol = this.#checker.getSymbolAtLocation(name);
      if (symbol) this.#assignVariable(symbol, values);
      return;
    }
    this.#mayThrow(values);
    name.elements.forEach((element, index) => {
      if (ts.isOmittedExpression(element)) return;
      const value = ts.isObjectBindingPattern(name)
        ? this.#taken(values, element, name)
        : this.#element(values, index, element.dotDotDotToken !== undefined, element);
      this.#bind(element.name, union(value, this.#instead(value, element.initializer)));
    });
  }

  #taken(
    values: AbstractValues,
    element: ts.BindingElement,
    pattern: ts.ObjectBindingPattern,
  ): AbstractValues {
    if (element.dotDotDotToken) return new Set([this.#copy(pattern, values)]);
    const written = element.propertyName ?? element.name;
    const name = ts.isPropertyName(written) ? this.#nameOf(written) : undefined;
    if (name !== undefined) this.#looksBehind(values, name);
    const key = ts.isComputedPropertyName(written) ? written.expression : undefined;
    const behind = name === undefined && key ? this.#behind(values, key) : [];
    return union(this.#read(values, name), behind);
  }

  #element(values: AbstractValues, index: number, isRest: boolean, at: ts.Node): AbstractValues {
    if (!isRest) {
      const plain = [...values].filter((each) => each.kind === "array" || each.kind === "data");
      const others = [...values].filter((each) => each.kind !== "array" && each.kind !== "data");
      return union(this.heap.read(new Set(plain), String(index)), this.#elements(new Set(others)));
    }
    const list = this.#make(at, "array");
    this.heap.add(list.rest, this.#elements(values));
    return new Set([list]);
  }

  /** A property's name, where the text tells it. */
  #nameOf(name: ts.PropertyName): string | undefined {
    if (ts.isComputedPropertyName(name)) {
      this.#value(name.expression);
      const inner = withoutAssertions(name.expression);
      return ts.isStringLiteralLike(inner) || ts.isNumericLiteral(inner) ? inner.text : undefined;
    }
    return name.text;
  }

  #assign(target: ts.Expression, values: AbstractValues): void {
    const node = withoutAssertions(target);
    if (ts.isNonNullExpression(node)) this.#assign(node.expression, values);
    else if (ts.isIdentifier(node)) {
      const symbol = this.#checker.getSymbolAtLocation(node);
      this.#share(node, symbol);
      if (symbol) this.#assignVariable(symbol, union(values, this.#timing(node)));
      if (!symbol?.declarations?.some(isAuthored))
        this.#write(new Set([this.heap.library]), undefined, values, node);
    } else if (ts.isPropertyAccessExpression(node))
      this.#write(
        this.#value(node.expression),
        node.name.text,
        union(values, this.#timing(node.expression)),
        node,
      );
    else if (ts.isElementAccessExpression(node)) {
      const key = this.#value(node.argumentExpression);
      const name = keyText(node.argumentExpression);
      const owner = this.#value(node.expression);
      const timing = this.#timing(node.expression);
      this.#write(owner, name, union(values, timing, name === undefined ? this.#text(key) : []), node);
    } else if (ts.isObjectLiteralExpression(node)) this.#assignProperties(node, values);
    else if (ts.isArrayLiteralExpression(node)) {
      node.elements.forEach((element, index) => {
        const isRest = ts.isSpreadElement(element);
        if (!ts.isOmittedExpression(element))
          this.#assignWithDefault(
            isRest ? element.expression : element,
            this.#element(values, index, isRest, element),
          );
      });
    } else this.#value(node);
  }

  #assignProperties(node: ts.ObjectLiteralExpression, values: AbstractValues): void {
    for (const property of node.properties) {
      if (ts.isShorthandPropertyAssignment(property)) {
        const symbol = this.#checker.getShorthandAssignmentValueSymbol(property);
        const value = this.#read(values, property.name.text);
        const other = this.#instead(value, property.objectAssignmentInitializer);
        if (symbol) this.#assignVariable(symbol, union(value, other));
      } else if (ts.isPropertyAssignment(property))
        this.#assignWithDefault(property.initializer, this.#read(values, this.#nameOf(property.name)));
      else if (ts.isSpreadAssignment(property))
        this.#assign(property.expression, new Set([this.#copy(property, values)]));
    }
  }

  #assignWithDefault(target: ts.Expression, values: AbstractValues): void {
    if (ts.isBinaryExpression(target) && target.operatorToken.kind === ts.SyntaxKind.EqualsToken)
      this.#assign(target.left, union(values, this.#instead(values, target.right)));
    else this.#assign(target, values);
  }

  #write(owners: AbstractValues, name: string | undefined, values: AbstractValues, at: ts.Node): void {
    const all = union(values, this.#decides);
    for (const owner of owners) {
      if (owner.kind === "primitive") continue;
      if (owner.kind === "global") this.heap.add(this.heap.library.rest, all);
      else if (owner.kind === "library") {
        this.heap.add(owner.rest, all);
        if (owner !== this.heap.library)
          for (const inside of this.heap.reach([owner]))
            if (inside.kind !== "primitive" && inside !== this.heap.library) this.heap.add(inside.rest, all);
      } else if (name === "__proto__") {
        this.heap.add(owner.bases, all);
        this.heap.add(owner.rest, all);
      } else if (name === undefined) this.heap.add(owner.rest, all);
      else {
        this.heap.add(this.heap.field(owner, name), all);
        this.#place(owner, name, at);
      }
      for (const each of withBases([owner]))
        for (const [own, setter] of each.setters)
          if (name === undefined || own === undefined || own === name)
            this.#callFunction(setter, new Set([owner]), [all], new Set());
    }
  }

  #read(owners: AbstractValues, name: string | undefined): AbstractValues {
    this.#mayThrow(owners);
    const made = this.#hasGetters ? [...owners].filter((each) => each.kind === "library") : [];
    for (const owner of withBases(made.length > 0 ? union(owners, this.heap.reach(made)) : owners))
      for (const [own, getter] of owner.getters)
        if (name === undefined || own === undefined || own === name)
          this.#callFunction(getter, new Set([owner]), [], new Set());
    return this.heap.read(owners, name);
  }

  // --- expressions

  #values(nodes: readonly ts.Expression[]): readonly AbstractValues[] {
    return nodes.map((node) => this.#value(node));
  }

  #value(written: ts.Expression): AbstractValues {
    this.heap.step();
    const node = withoutAssertions(written);
    if (ts.isIdentifier(node)) return this.#identifier(node);
    if (ts.isNonNullExpression(node) || ts.isExpressionWithTypeArguments(node))
      return this.#value(node.expression);
    if (ts.isPropertyAccessExpression(node)) return this.#property(node);
    if (ts.isElementAccessExpression(node)) return this.#elementAccess(node);
    if (ts.isCallExpression(node)) {
      const result: { of: AbstractValues } = { of: new Set() };
      const condition = ts.isOptionalChain(node) ? this.#value(node.expression) : [];
      this.#where(condition, () => {
        result.of = this.#call(node);
      });
      return result.of;
    }
    if (ts.isNewExpression(node)) return this.#new(node);
    if (ts.isAwaitExpression(node)) {
      const promises = this.#value(node.expression);
      if (this.#isTried && this.#isConcurrent) this.#mayThrow(this.#failuresOf(promises));
      this.#mayThrow(this.heap.choice([...promises].filter(({ kind }) => kind === "library")));
      return this.#awaited(promises);
    }
    if (ts.isObjectLiteralExpression(node)) return this.#object(node);
    if (ts.isArrayLiteralExpression(node)) return this.#array(node);
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node))
      return new Set([this.#function(node).thing]);
    if (ts.isClassExpression(node)) return this.#class(node);
    if (ts.isConditionalExpression(node)) {
      const condition = this.#value(node.condition);
      const either: { of: AbstractValues } = { of: new Set() };
      this.#where(condition, () => {
        either.of = union(this.#value(node.whenTrue), this.#value(node.whenFalse));
      });
      return union(either.of, this.heap.choice(condition));
    }
    if (ts.isBinaryExpression(node)) return this.#binary(node);
    if (ts.isTemplateExpression(node)) {
      const parts = node.templateSpans.map(({ expression }) => this.#text(this.#value(expression)));
      return union(...parts, [this.heap.primitive]);
    }
    if (ts.isTaggedTemplateExpression(node)) {
      const spans = ts.isTemplateExpression(node.template) ? node.template.templateSpans : [];
      const strings = new Set<AbstractValue>([this.heap.library]);
      const given = [strings, ...spans.map(({ expression }) => this.#value(expression))];
      const { tag } = node;
      const owner = ts.isPropertyAccessExpression(tag)
        ? this.#value(tag.expression)
        : new Set<AbstractValue>();
      return this.#callValue(node, this.#value(tag), owner, given, new Set(), "raw");
    }
    if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
      const operand = this.#text(this.#value(node.operand));
      if (node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken)
        this.#assign(node.operand, operand);
      return union(node.operator === ts.SyntaxKind.ExclamationToken ? this.heap.choice(operand) : operand, [
        this.heap.primitive,
      ]);
    }
    if (ts.isTypeOfExpression(node))
      return union(this.heap.choice(this.#value(node.expression)), [this.heap.primitive]);
    if (ts.isDeleteExpression(node)) {
      this.#delete(withoutAssertions(node.expression), node);
      return new Set([this.heap.primitive]);
    }
    if (ts.isVoidExpression(node)) {
      this.#value(node.expression);
      return new Set([this.heap.primitive]);
    }
    if (ts.isYieldExpression(node)) return this.#yield(node);
    if (ts.isSpreadElement(node)) return this.#elements(this.#value(node.expression));
    if (node.kind === ts.SyntaxKind.ThisKeyword) return this.#self;
    if (node.kind === ts.SyntaxKind.SuperKeyword) return union(...[...this.#self].map(({ bases }) => bases));
    // Where its last match ended is kept by an expression that is used again and again.
    if (ts.isRegularExpressionLiteral(node) && /[gy][a-z]*$/.test(node.text))
      return new Set([this.#make(node, "library", "expression")]);
    if (
      ts.isLiteralExpression(node) ||
      node.kind === ts.SyntaxKind.TrueKeyword ||
      node.kind === ts.SyntaxKind.FalseKeyword ||
      node.kind === ts.SyntaxKind.NullKeyword
    )
      return new Set([this.heap.primitive]);
    const parts: AbstractValues = new Set([this.heap.library]);
    ts.forEachChild(node, (child) => {
      if (ts.isExpression(child)) for (const each of this.#value(child)) parts.add(each);
    });
    return parts;
  }

  #delete(target: ts.Expression, at: ts.Node): void {
    if (ts.isPropertyAccessExpression(target))
      this.#write(this.#value(target.expression), target.name.text, new Set([this.heap.primitive]), at);
    else if (ts.isElementAccessExpression(target)) {
      const key = this.#value(target.argumentExpression);
      const owner = this.#value(target.expression);
      this.#write(owner, keyText(target.argumentExpression), this.heap.choice(key), at);
    } else this.#value(target);
  }

  /** What stands in where a value is not there, which the value decides. */
  #instead(values: AbstractValues, other: ts.Expression | undefined): AbstractValues {
    if (!other) return new Set();
    const found: { of: AbstractValues } = { of: new Set() };
    this.#where(values, () => {
      found.of = this.#value(other);
    });
    return found.of;
  }

  #identifier(node: ts.Identifier): AbstractValues {
    if (node.text === "arguments" && this.#body) {
      const list = this.#make(node, "array");
      this.heap.add(list.rest, union(...this.#body.parameters, this.#body.anyParameter));
      return new Set([list]);
    }
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.#checker.getSymbolAtLocation(node);
    this.#share(node, symbol);
    return this.#symbol(symbol, node.text);
  }

  /** Whether a name is the code's own, whatever the library calls by that name. */
  #isOwn(node: ts.Identifier): boolean {
    return this.#checker.getSymbolAtLocation(node)?.declarations?.some(isAuthored) ?? false;
  }

  #symbol(symbol: ts.Symbol | undefined, text: string): AbstractValues {
    const target =
      symbol && symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    const isOwn = target?.declarations?.some(isAuthored) ?? false;
    if (target && isOwn) {
      if (target.flags & ts.SymbolFlags.ValueModule && !(target.flags & ts.SymbolFlags.Variable))
        return new Set([this.#module(target)]);
      return this.#valueOf(target);
    }
    if (text === "undefined" || text === "NaN" || text === "Infinity") return new Set([this.heap.primitive]);
    if (text === "call_skill") return new Set([this.heap.callSkill]);
    if (text === "call_tool") return new Set([this.heap.callTool]);
    if (text === "globalThis") return new Set([this.heap.global]);
    if (MAKERS.has(text)) throw new Unfollowed();
    return union([this.heap.library], this.heap.library.rest);
  }

  /** A module as a value: what it exports. */
  #module(symbol: ts.Symbol): AbstractValue {
    const at = symbol.declarations?.[0];
    if (!at) return this.heap.library;
    const thing = this.#make(at, "object");
    for (const exported of this.#checker.getExportsOfModule(symbol)) {
      thing.members.add(exported.name);
      this.heap.add(this.heap.field(thing, exported.name), this.#valueOf(exported));
    }
    return thing;
  }

  #property(node: ts.PropertyAccessExpression): AbstractValues {
    const { text } = node.name;
    const owner = this.#value(node.expression);
    if (!isOnlyLookedAt(node)) this.#looksBehind(owner, text);
    return this.#read(owner, text);
  }

  #elementAccess(node: ts.ElementAccessExpression): AbstractValues {
    const owner = this.#value(node.expression);
    const key = ts.isOptionalChain(node)
      ? this.#instead(owner, node.argumentExpression)
      : this.#value(node.argumentExpression);
    const name = keyText(node.argumentExpression);
    if (name !== undefined) this.#looksBehind(owner, name);
    const behind = name === undefined ? this.#behind(owner, node.argumentExpression) : [];
    return union(this.#read(owner, name), this.heap.choice(key), behind);
  }

  /** By these ways code comes to what is the same for all objects, or makes code of texts. */
  #looksBehind(owner: AbstractValues, name: string): void {
    if (owner.has(this.heap.global) && MAKERS.has(name)) throw new Unfollowed();
    if (BEHIND.has(name) || (name === "prototype" && owner.has(this.heap.library))) throw new Unfollowed();
  }

  /** What a key that only running tells can come to, behind what a thing has itself. */
  #behind(owners: Iterable<AbstractValue>, key: ts.Expression): AbstractValues {
    const type = this.#checker.getTypeAtLocation(key);
    if (type.flags & ts.TypeFlags.NumberLike) return new Set();
    const { builtIn, maker, library } = this.heap;
    const isFunction = [...owners].some(
      (owner) =>
        owner === library || owner === builtIn || owner.kind === "function" || owner.kind === "global",
    );
    return new Set([isFunction ? maker : builtIn]);
  }

  #object(node: ts.ObjectLiteralExpression): AbstractValues {
    const thing = this.#make(node, "object");
    for (const property of node.properties) {
      if (ts.isSpreadAssignment(property)) {
        this.heap.add(thing.bases, this.#value(property.expression));
        continue;
      }
      if (ts.isShorthandPropertyAssignment(property)) {
        const symbol = this.#checker.getShorthandAssignmentValueSymbol(property);
        this.#give(thing, property.name.text, this.#symbol(symbol, property.name.text), property);
        continue;
      }
      if (ts.isPropertyAssignment(property)) {
        const name = this.#nameOf(property.name);
        if (name === "__proto__") this.heap.add(thing.bases, this.#value(property.initializer));
        this.#give(thing, name, this.#value(property.initializer), property);
        if (name === undefined && ts.isComputedPropertyName(property.name))
          this.heap.add(thing.rest, this.#text(this.#value(property.name.expression)));
        continue;
      }
      this.#member(thing, property);
    }
    return new Set([thing]);
  }

  /** A method or an accessor of an object or a class. */
  #member(owner: AbstractValue, node: ts.MethodDeclaration | ts.AccessorDeclaration): void {
    const body = this.#function(node);
    const name = this.#nameOf(node.name);
    this.heap.add(body.self, [owner]);
    if (name !== undefined) owner.members.add(name);
    if (ts.isGetAccessor(node)) {
      owner.getters.set(name, body.thing);
      this.#hasGetters = true;
    } else if (ts.isSetAccessor(node)) owner.setters.set(name, body.thing);
    else this.#give(owner, name, new Set([body.thing]), node);
  }

  #give(owner: AbstractValue, name: string | undefined, values: AbstractValues, at: ts.Node): void {
    if (name === undefined) this.heap.add(owner.rest, values);
    else {
      owner.members.add(name);
      this.heap.add(this.heap.field(owner, name), values);
      this.#place(owner, name, at);
    }
  }

  #place(owner: AbstractValue, name: string, at: ts.Node): void {
    const places = this.#places.get(owner) ?? new Map<string, ts.Node>();
    this.#places.set(owner, places);
    if (!places.has(name)) places.set(name, at);
  }

  #array(node: ts.ArrayLiteralExpression): AbstractValues {
    const thing = this.#make(node, "array");
    let isShifted = false;
    node.elements.forEach((element, index) => {
      if (ts.isOmittedExpression(element)) return;
      isShifted ||= ts.isSpreadElement(element);
      const values = this.#value(element);
      this.heap.add(isShifted ? thing.rest : this.heap.field(thing, String(index)), values);
    });
    return new Set([thing]);
  }

  /** An object with the properties of others. */
  #copy(at: ts.Node, values: AbstractValues): AbstractValue {
    const thing = this.#make(at, "object", "copy");
    this.heap.add(thing.bases, values);
    return thing;
  }

  #binary(node: ts.BinaryExpression): AbstractValues {
    const { operatorToken, left, right } = node;
    const { kind } = operatorToken;
    if (kind === ts.SyntaxKind.EqualsToken) {
      const values = this.#value(right);
      this.#assign(left, values);
      return values;
    }
    if (kind === ts.SyntaxKind.CommaToken) {
      this.#value(left);
      return this.#value(right);
    }
    const first = this.#value(left);
    const assigns = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
    if (LOGICAL.has(kind)) {
      const found: { of: AbstractValues } = { of: new Set() };
      this.#where(first, () => {
        found.of = this.#value(right);
        if (assigns) this.#assign(left, found.of);
      });
      // What `&&` gives of its left side is nothing but falsy.
      const isAnd = kind === ts.SyntaxKind.AmpersandAmpersandToken;
      const kept = isAnd ? [this.heap.primitive] : first;
      return union(kept, found.of, this.heap.choice(first));
    }
    const both = union(this.#text(first), this.#text(this.#value(right)));
    if (COMPARES.has(kind)) return union(this.heap.choice(both), [this.heap.primitive]);
    const result = union(both, [this.heap.primitive]);
    if (assigns) this.#assign(left, result);
    return result;
  }

  #yield(node: ts.YieldExpression): AbstractValues {
    const value = node.expression ? this.#value(node.expression) : new Set<AbstractValue>();
    const generator = this.#body?.generator;
    if (!generator) return value;
    this.heap.add(generator.rest, [
      ...(node.asteriskToken ? this.#elements(value) : this.#awaited(value)),
      ...this.#decides,
    ]);
    return generator.rest;
  }

  /** The data in a text made of the values: what makes texts of things is called. */
  #text(values: AbstractValues): AbstractValues {
    const found: AbstractValues = new Set([this.heap.primitive]);
    const reached = this.heap.reach(values, true);
    for (const thing of reached) {
      if (thing.kind === "data") found.add(thing);
      else if (thing.kind === "function") this.#callFunction(thing, values, [values], new Set());
    }
    return found;
  }

  #awaited(values: AbstractValues): AbstractValues {
    const found: AbstractValues = new Set();
    for (const thing of values) {
      if (thing.kind === "pending") found.add(this.heap.data(thing.call));
      else {
        found.add(thing);
        if (thing.kind === "library")
          for (const each of thing.rest) if (each.kind === "pending") found.add(this.heap.data(each.call));
        // Something with a method `then`, whatever it gives.
        const then = thing.kind === "object" ? [...this.heap.read(new Set([thing]), "then")] : [];
        for (const each of then.filter((one) => this.#bodies.has(one))) {
          const sink = this.#makeFor(each, this.#files[0], "library");
          this.#callFunction(each, new Set([thing]), [new Set([sink])], new Set());
          found.add(sink);
        }
      }
    }
    return found;
  }

  /** What going over values gives. */
  #elements(values: AbstractValues): AbstractValues {
    const found: AbstractValues = new Set();
    for (const thing of values) {
      if (thing.kind === "primitive") found.add(thing);
      const inside = this.heap.read(new Set([thing]), undefined);
      for (const each of inside) {
        found.add(each);
        if (thing.kind === "object" && this.#bodies.has(each)) {
          this.#callInside([thing]);
          for (const given of this.heap.reach(this.#bodies.get(each)?.gives ?? [])) found.add(given);
        }
      }
    }
    return found;
  }

  // --- functions and classes

  #function(node: ts.FunctionLikeDeclaration): FunctionSummary {
    const body = this.#knownBody(node);
    if (!node.body) return body;
    const before = { body: this.#body, decides: this.#decides, self: this.#self };
    const outer = { isTried: this.#isTried, risk: this.#risk };
    // A promise that is rejected may be handled where nobody waits for it.
    const isHandled = this.#catchesRejections || (this.#isConcurrent && this.#hasTry);
    const isCaught = this.#hasStarted && isHandled && body.isLater && !body.isEntry;
    this.#isTried = body.isTried || isCaught;
    this.#risk = new Set();
    const exits = this.#exits;
    this.#exits = [];
    if (!ts.isArrowFunction(node)) this.#self = body.self;
    this.#body = body;
    this.#decides = body.decides;
    node.parameters.forEach((parameter, index) => this.#parameter(body, parameter, index));
    if (ts.isBlock(node.body)) this.#statements(node.body.statements);
    else this.#returns(node.body, this.#value(node.body));
    this.heap.add(body.throws, this.#risk);
    this.#isTried = outer.isTried;
    this.#risk = outer.risk;
    this.#exits = exits;
    this.#body = before.body;
    this.#decides = before.decides;
    this.#self = before.self;
    return body;
  }

  #knownBody(node: ts.FunctionLikeDeclaration): FunctionSummary {
    const known = this.#bodyOf.get(node);
    if (known) return known;
    const thing = this.#make(node, "function");
    const isGenerator = "asteriskToken" in node && node.asteriskToken !== undefined;
    const generator = isGenerator ? this.#make(node, "library", "generator") : undefined;
    const prototype = this.#make(node, "object", "prototype");
    thing.members.add("prototype");
    this.heap.add(this.heap.field(thing, "prototype"), [prototype]);
    const body: FunctionSummary = {
      thing,
      parameters: [],
      anyParameter: new Set(),
      self: new Set(),
      decides: new Set(),
      gives: new Set(generator ? [generator] : []),
      leaves: new Set(),
      returns: new Map(),
      throws: new Set(),
      isTried: false,
      generator,
      isPromising: isAsync(node),
      isLater: isAsync(node),
      isEntry: false,
    };
    this.#bodyOf.set(node, body);
    this.#bodies.set(thing, body);
    if (ts.isFunctionDeclaration(node) || (ts.isFunctionExpression(node) && node.name)) {
      const symbol = (node.name && this.#checker.getSymbolAtLocation(node.name)) ?? symbolOf(node);
      if (symbol) this.heap.add(this.#valueOf(symbol), [thing]);
    }
    return body;
  }

  #parameter(body: FunctionSummary, parameter: ts.ParameterDeclaration, index: number): void {
    const given = union(body.parameters[index] ?? [], body.anyParameter);
    if (parameter.dotDotDotToken) {
      const list = this.#make(parameter, "array");
      body.parameters
        .slice(index)
        .forEach((values, at) => this.heap.add(this.heap.field(list, String(at)), values));
      this.heap.add(list.rest, body.anyParameter);
      return this.#bind(parameter.name, new Set([list]));
    }
    const other = this.#instead(given, parameter.initializer);
    this.#bind(parameter.name, union(given, other));
    // `constructor(private name: string)`
    if (ts.isParameterPropertyDeclaration(parameter, parameter.parent) && ts.isIdentifier(parameter.name))
      this.#write(body.self, parameter.name.text, union(given, other), parameter);
  }

  #callFunction(
    callee: AbstractValue,
    self: AbstractValues,
    given: readonly AbstractValues[],
    others: Iterable<AbstractValue>,
    isAwaited = false,
  ): AbstractValues {
    const body = this.#bodies.get(callee);
    if (!body) return new Set();
    if (body.isPromising && !isAwaited) this.#startConcurrently();
    if (this.#body?.isLater) this.#runLater(body);
    given.forEach((values, index) => {
      this.heap.add((body.parameters[index] ??= new Set()), values);
    });
    this.heap.add(body.anyParameter, others);
    this.heap.add(body.self, self);
    this.heap.add(body.decides, this.#decides);
    if (this.#isTried) {
      if (!body.isTried) this.heap.hasGrown = true;
      body.isTried = true;
      this.#mayThrow(body.throws);
    }
    return body.gives;
  }

  #runLater(body: FunctionSummary): void {
    if (body.isLater) return;
    body.isLater = true;
    this.heap.hasGrown = true;
  }

  #startConcurrently(): void {
    if (this.#isConcurrent) return;
    this.#isConcurrent = true;
    this.heap.hasGrown = true;
  }

  /** Whether the code goes on only when the promise that a call gives is settled. */
  #isAwaited(call: ts.Node): boolean {
    const fate = fateOf(call);
    if (fate === "returned" && this.#body && !this.#body.isPromising) {
      this.#body.isPromising = true;
      this.heap.hasGrown = true;
    }
    return fate === "awaited" || (fate === "returned" && this.#body !== undefined);
  }

  /** What decides which of several answers comes first. */
  #answers(): AbstractValues {
    return new Set(
      [...this.calls.keys()].flatMap((call) => [
        this.heap.data(call, undefined, "choice"),
        this.heap.data(call, undefined, "choice", true),
      ]),
    );
  }

  /** What decides when this code runs, where it changes what other code sees too. */
  #timing(changed: ts.Expression): AbstractValues {
    if (!this.#isConcurrent || !this.#body?.isLater) return new Set();
    return this.#isShared(changed) ? this.#answers() : new Set();
  }

  #isShared(changed: ts.Expression): boolean {
    let root = withoutAssertions(changed);
    while (ts.isPropertyAccessExpression(root) || ts.isElementAccessExpression(root))
      root = withoutAssertions(root.expression);
    const symbol = ts.isIdentifier(root) ? this.#checker.getSymbolAtLocation(root) : undefined;
    const declared = symbol?.valueDeclaration;
    return !symbol || !declared || ts.isParameter(declared) || this.#shared.has(symbol);
  }

  #share(node: ts.Identifier, symbol: ts.Symbol | undefined): void {
    const declared = symbol?.valueDeclaration;
    if (!symbol || !declared || this.#shared.has(symbol)) return;
    if (ts.findAncestor(declared, ts.isFunctionLike) === ts.findAncestor(node, ts.isFunctionLike)) return;
    this.#shared.add(symbol);
    this.heap.hasGrown = true;
  }

  /** What decides whether promises are rejected. */
  #failuresOf(promises: AbstractValues): AbstractValues {
    const pending = [...promises].filter((each) => each.kind === "pending");
    if (pending.length === promises.size)
      return new Set(pending.map(({ call }) => this.heap.data(call, undefined, "choice", true)));
    const thrown = [...this.#bodies.values()].map(({ throws }) => throws);
    const failures = [...this.calls.keys()].map((call) => this.heap.data(call, undefined, "choice", true));
    return union(...thrown, failures, this.heap.choice(promises));
  }

  /** The code that gives elements goes on, or not. */
  #resume(lists: AbstractValues, decides: AbstractValues): void {
    const bodies = [...this.#bodies.values()].filter(({ generator }) => generator);
    const reached = bodies.length > 0 ? this.heap.reach(lists, true) : new Set();
    for (const body of bodies)
      if (body.generator && reached.has(body.generator)) this.heap.add(body.decides, decides);
    const before = this.#decides;
    this.#decides = union(before, decides);
    this.#callInside([...lists].filter(({ kind }) => kind === "object"));
    this.#decides = before;
  }

  #holdsCode(values: AbstractValues): boolean {
    return [...this.heap.reach(values)].some((each) => this.#bodies.has(each));
  }

  /** Calls all functions that are in things, and in what these give. */
  #callInside(things: Iterable<AbstractValue>): void {
    const inside = this.heap.reach(things, true);
    for (const each of inside) if (each.kind === "function") this.#callFunction(each, inside, [], new Set());
  }

  #class(node: ts.ClassLikeDeclaration): AbstractValues {
    const thing = this.#make(node, "function");
    const instance = this.#make(node, "object", "instance");
    this.#instances.set(thing, instance);
    const prototype = this.#make(node, "object", "prototype");
    thing.members.add("prototype");
    this.heap.add(this.heap.field(thing, "prototype"), [prototype]);
    this.heap.add(prototype.bases, [instance]);
    this.heap.add(instance.bases, [prototype]);
    if (node.name) {
      const symbol = this.#checker.getSymbolAtLocation(node.name);
      if (symbol) this.heap.add(this.#valueOf(symbol), [thing]);
    }
    for (const { types } of node.heritageClauses ?? []) {
      for (const { expression } of types) {
        if (ts.findAncestor(expression, ts.isHeritageClause)?.token !== ts.SyntaxKind.ExtendsKeyword)
          continue;
        for (const base of this.#value(expression)) {
          this.heap.add(thing.bases, [base]);
          const above = this.#instances.get(base);
          if (above) this.heap.add(instance.bases, [above]);
          else {
            this.heap.add(instance.rest, [instance, this.heap.library]);
            for (const made of this.heap.read(new Set([base]), "prototype"))
              this.heap.add(instance.bases, [made]);
          }
        }
      }
    }
    const before = this.#self;
    for (const member of node.members) {
      const isStatic = ts.canHaveModifiers(member) && hasStatic(member);
      const owner = isStatic ? thing : instance;
      this.#self = new Set([owner]);
      if (ts.isPropertyDeclaration(member)) {
        const name = this.#nameOf(member.name);
        if (name !== undefined) owner.members.add(name);
        if (member.initializer) this.#give(owner, name, this.#value(member.initializer), member);
      } else if (ts.isConstructorDeclaration(member)) {
        const body = this.#function(member);
        this.heap.add(body.self, [instance]);
        this.heap.add(this.heap.field(thing, CONSTRUCTOR), [body.thing]);
      } else if (ts.isMethodDeclaration(member) || ts.isAccessor(member)) this.#member(owner, member);
      else if (ts.isClassStaticBlockDeclaration(member)) this.#statements(member.body.statements);
    }
    this.#self = before;
    return new Set([thing]);
  }

  // --- calls

  #call(node: ts.CallExpression): AbstractValues {
    const callee = withoutAssertions(node.expression);
    if (callee.kind === ts.SyntaxKind.ImportKeyword) throw new Unfollowed();
    const isSpread = node.arguments.findIndex((each) => ts.isSpreadElement(each));
    const all = this.#values(node.arguments);
    const given = isSpread === -1 ? all : all.slice(0, isSpread);
    const others = isSpread === -1 ? new Set<AbstractValue>() : union(...all.slice(isSpread));
    if (callee.kind === ts.SyntaxKind.SuperKeyword) {
      for (const self of [...this.#self]) {
        this.#construct(node, self.bases, given, others, this.#self);
        this.heap.add(this.#self, this.#givenBack(this.#classOf(self)));
      }
      return new Set();
    }
    if (ts.isPropertyAccessExpression(callee) || ts.isElementAccessExpression(callee))
      return this.#method(node, callee, given, others);
    const name = ts.isIdentifier(callee) && !this.#isOwn(callee) ? callee.text : undefined;
    return this.#callValue(node, this.#value(callee), new Set(), given, others, name);
  }

  #method(
    node: ts.CallExpression,
    callee: ts.PropertyAccessExpression | ts.ElementAccessExpression,
    given: readonly AbstractValues[],
    others: AbstractValues,
  ): AbstractValues {
    const found = ts.isPropertyAccessExpression(callee)
      ? this.#property(callee)
      : this.#elementAccess(callee);
    const isSuper = callee.expression.kind === ts.SyntaxKind.SuperKeyword;
    const owners = isSuper
      ? union(...[...this.#self].map(({ bases }) => bases))
      : this.#value(callee.expression);
    const self = isSuper ? this.#self : owners;
    const name = ts.isPropertyAccessExpression(callee)
      ? callee.name.text
      : keyText(callee.argumentExpression);
    if (name === "get" && owners.has(this.heap.library) && node.arguments[1]) {
      const key = keyText(node.arguments[1]);
      if (key !== undefined) this.#looksBehind(given[0] ?? new Set(), key);
      else addTo(found, this.#behind(given[0] ?? [], node.arguments[1]));
    }
    const results: AbstractValues = new Set();
    const functions = new Set([...found].filter((each) => each.kind !== "library" && each.kind !== "data"));
    // A key may have decided which function it is.
    const keys = [...found].filter((each) => each.kind === "data");
    this.#where(functions.size > 0 ? keys : [], () =>
      addTo(results, this.#callValue(node, functions, self, given, others, name)),
    );
    const foreign = [...owners].filter((each) => name === undefined || !this.heap.hasMember(each, name));
    if (
      foreign.length === 0 ||
      (foreign.length === 1 && foreign[0] === this.heap.global && functions.size > 0)
    )
      return results;
    const isPromise = ts.isIdentifier(callee.expression) && callee.expression.text === "Promise";
    const isPure = this.#isPure(node, new Set(foreign), name);
    this.#where(isPure ? [] : this.#timing(callee.expression), () => {
      const special = this.#libraryMethod(node, new Set(foreign), isPromise, name, given, others);
      addTo(results, special ?? this.#libraryCall(node, new Set(foreign), given, others, name));
    });
    return results;
  }

  /** What is known of some methods of the library; nothing for others. */
  #libraryMethod(
    node: ts.Node,
    owners: AbstractValues,
    isPromise: boolean,
    name: string | undefined,
    given: readonly AbstractValues[],
    others: AbstractValues,
  ): AbstractValues | undefined {
    if (name === undefined || others.size > 0) return undefined;
    const [first = new Set<AbstractValue>(), second = new Set<AbstractValue>()] = given;
    if (isPromise && name === "all") return new Set([...first].map((list) => this.#awaitedList(node, list)));
    if (isPromise && name === "resolve") return this.#awaited(first);
    if (name === "then" || name === "catch" || name === "finally") {
      const awaited = this.#awaited(owners);
      const isAwaited = this.#isAwaited(node);
      const called = (
        callbacks: AbstractValues,
        given: AbstractValues,
        isFailure: boolean,
      ): AbstractValues => {
        const results: AbstractValues = new Set();
        const isHandled = isFailure || this.#isTried || this.#catchesRejections;
        this.#where(isHandled ? this.#failuresOf(owners) : [], () => {
          for (const each of callbacks) {
            const body = this.#bodies.get(each);
            if (body) this.#runLater(body);
            addTo(results, this.#callFunction(each, new Set(), [given], new Set(), isAwaited));
          }
        });
        return results;
      };
      if (name === "finally") {
        called(first, new Set(), false);
        return this.#isPlain(first) ? awaited : undefined;
      }
      const [fulfilled, rejected] = name === "then" ? [first, second] : [new Set<AbstractValue>(), first];
      if (!this.#isPlain(fulfilled) || !this.#isPlain(rejected)) return undefined;
      const results = union(called(fulfilled, awaited, false), called(rejected, this.#caught(), true));
      return fulfilled.size > 0 ? this.#awaited(results) : union(awaited, this.#awaited(results));
    }
    const gives = OVER_ELEMENTS.get(name);
    const isList = [...owners].every(({ kind }) => kind === "array" || kind === "data");
    if (gives !== undefined && isList && this.#isPlain(first)) {
      const elements = this.#elements(owners);
      const results: AbstractValues = new Set();
      const earlier = this.#earlier(first, name);
      this.#where([...this.#lengthOf(owners), ...earlier], () => {
        for (const each of first)
          addTo(results, this.#callFunction(each, second, [elements, elements, owners], new Set()));
      });
      if (gives === "nothing") return new Set([this.heap.primitive]);
      const list = this.#make(node, "array", "result");
      const inside = gives === "results" ? results : union(elements, this.heap.choice(results));
      this.heap.add(list.rest, name === "flatMap" ? union(inside, this.#elements(inside)) : inside);
      this.heap.add(list.rest, this.#lengthOf(owners));
      return name === "find" || name === "findLast" ? union(inside, [this.heap.primitive]) : new Set([list]);
    }
    if (name === "push" && isList) {
      for (const owner of owners) this.heap.add(owner.rest, union(...given, this.#decides));
      return new Set([this.heap.primitive]);
    }
    return undefined;
  }

  /** What decides how long lists are. */
  #lengthOf(lists: AbstractValues): AbstractValues {
    const data = [...lists].filter((each) => each.kind === "data");
    const chosen = [...lists].flatMap(({ rest, bases }) =>
      [...rest, ...bases].filter((each) => each.kind === "data" && each.how !== "value"),
    );
    return this.heap.choice([...data, ...chosen]);
  }

  #isPlain(values: AbstractValues): boolean {
    return [...values].every((each) => this.#bodies.has(each) || each.kind === "primitive");
  }

  #awaitedList(node: ts.Node, list: AbstractValue): AbstractValue {
    if (list.kind !== "array") return this.#library(node, this.#awaited(this.heap.reach([list])));
    const all = this.#makeFor(list, node, "array");
    for (const [name, values] of list.fields)
      this.heap.add(this.heap.field(all, name), this.#awaited(values));
    this.heap.add(all.rest, this.#awaited(list.rest));
    return all;
  }

  #new(node: ts.NewExpression): AbstractValues {
    const written = node.arguments ?? [];
    const isSpread = written.findIndex((each) => ts.isSpreadElement(each));
    const all = this.#values(written);
    const given = isSpread === -1 ? all : all.slice(0, isSpread);
    const others = isSpread === -1 ? new Set<AbstractValue>() : union(...all.slice(isSpread));
    return this.#construct(node, this.#value(node.expression), given, others);
  }

  #construct(
    node: ts.Node,
    callees: AbstractValues,
    given: readonly AbstractValues[],
    others: AbstractValues,
    self?: AbstractValues,
  ): AbstractValues {
    const results: AbstractValues = new Set();
    const seen: AbstractValues = new Set();
    const open = [...callees];
    for (let callee = open.pop(); callee; callee = open.pop()) {
      if (seen.has(callee)) continue;
      seen.add(callee);
      // `super(…)` looks up what an instance has of its class's.
      const owner = this.#classOf(callee);
      const instance = this.#instances.get(owner);
      if (instance) {
        const selves = union(self ?? [], [instance]);
        results.add(instance);
        const own = owner.fields.get(CONSTRUCTOR);
        for (const each of own ?? []) this.#callFunction(each, selves, given, others);
        addTo(results, this.#givenBack(owner));
        if (!own) open.push(...owner.bases);
        if ([...owner.bases].some((base) => !this.#instances.has(base)))
          this.heap.add(instance.rest, this.heap.reach(union(...given, others)));
      } else if (this.#bodies.has(owner)) {
        const made = this.#make(node, "object", "instance");
        this.heap.add(made.bases, this.heap.read(new Set([owner]), "prototype"));
        addTo(results, [made]);
        addTo(results, this.#callFunction(owner, new Set([made]), given, others));
      } else if (owner === this.heap.maker) throw new Unfollowed();
      else if (owner.kind !== "primitive") {
        addTo(results, this.#libraryCall(node, new Set([owner]), given, others, undefined, true));
      }
    }
    return results;
  }

  #classOf(instance: AbstractValue): AbstractValue {
    return [...this.#instances].find(([, each]) => each === instance)?.[0] ?? instance;
  }

  /** What the constructors of a class and of those above it return instead of the instance. */
  #givenBack(owner: AbstractValue): AbstractValues {
    const found: AbstractValues = new Set();
    const classes: AbstractValues = new Set([owner]);
    for (const each of classes) {
      for (const code of [each, ...(each.fields.get(CONSTRUCTOR) ?? [])])
        addTo(found, this.#bodies.get(code)?.gives ?? []);
      addTo(classes, each.bases);
    }
    return found;
  }

  #callValue(
    node: ts.Node,
    callees: AbstractValues,
    self: AbstractValues,
    given: readonly AbstractValues[],
    others: AbstractValues,
    name: string | undefined,
  ): AbstractValues {
    const results: AbstractValues = new Set();
    const before = this.#decides;
    const data = [...callees].filter(({ kind }) => kind === "data");
    if (data.length > 0 && data.length < callees.size) this.#decides = union(before, this.heap.choice(data));
    for (const callee of callees) {
      this.heap.step();
      if (callee === this.heap.maker) throw new Unfollowed();
      const body = this.#bodies.get(callee);
      if (body) {
        const isAwaited = body.isPromising && this.#isAwaited(node);
        addTo(results, this.#callFunction(callee, self, given, others, isAwaited));
      } else if (callee.kind === "call_skill" || callee.kind === "call_tool")
        results.add(this.#worldCall(callee.kind, node, given, others));
      else if (callee.kind === "library" || callee.kind === "data") {
        const isPure = name !== undefined && PURE.has(name);
        const timing = isPure || !ts.isCallExpression(node) ? [] : this.#timing(node.expression);
        this.#where(timing, () =>
          addTo(results, this.#libraryCall(node, union(self, [callee]), given, others, name)),
        );
      }
    }
    this.#decides = before;
    return results;
  }

  #worldCall(
    kind: "call_skill" | "call_tool",
    node: ts.Node,
    given: readonly AbstractValues[],
    others: AbstractValues,
  ): AbstractValue {
    const byKind = this.#callOf.get(node) ?? new Map<string, number>();
    this.#callOf.set(node, byKind);
    const [name = new Set<AbstractValue>(), input = new Set<AbstractValue>()] = given;
    let index = byKind.get(kind);
    if (index === undefined) {
      index = this.calls.length;
      byKind.set(kind, index);
      const written = ts.isCallExpression(node) && isDirect(node) ? node.arguments : undefined;
      const [first, second] = written ?? [];
      const isTold = first !== undefined && !ts.isSpreadElement(first);
      const names = isTold ? staticNames(this.#checker, first, this.#references) : undefined;
      this.calls.push({
        kind: kind === "call_skill" ? "skill" : "tool",
        at: node,
        names: names && [...new Set(names.map(({ text }) => text))].toSorted(),
        args: new Set(),
        argument: second,
      });
      this.heap.hasGrown = true;
    }
    if (!this.#isAwaited(node)) this.#startConcurrently();
    this.#mayThrow([this.heap.data(index, undefined, "choice", true)]);
    const call = this.calls[index];
    if (call) {
      this.#text(input);
      this.heap.add(call.args, union(input, others, this.#decides, this.heap.choice(name)));
    }
    return this.heap.pending(index);
  }

  /** A call of what nobody knows: whatever it can reach it may mix, call and give. */
  #libraryCall(
    node: ts.Node,
    owners: AbstractValues,
    given: readonly AbstractValues[],
    others: Iterable<AbstractValue>,
    name: string | undefined,
    isNew = false,
  ): AbstractValues {
    const touched = union(owners, ...given, others);
    const mayCall =
      name === undefined || CALLS.has(name) || (TAKES_CALLBACK.has(name) && !owners.has(this.heap.maker));
    if (mayCall && touched.has(this.heap.maker)) throw new Unfollowed();
    if (name !== undefined && ACCESSORS.has(name) && this.#holdsCode(union(...given.slice(1))))
      throw new Unfollowed();
    const result = this.#make(node, "library", "library");
    const isKept = name === undefined || !TAKES_CALLBACK.has(name);
    const kept = isKept
      ? touched
      : [...touched].filter((each) => owners.has(each) || each.kind !== "function");
    this.heap.add(result.rest, union(kept, this.#decides));
    const all = new Set<AbstractValue>([result]);
    if (this.#isTried && (isNew || name === undefined || !NEVER_THROWS.has(name)))
      this.#mayThrow(this.heap.choice(union(...given, others)));
    const isCatch = name === "allSettled" || name === "catch" || name === "then";
    if (isCatch) this.heap.add(result.rest, this.#caught());
    if (name === "any" || name === "race") this.heap.add(result.rest, this.#answers());
    this.#resume(owners, this.#decides);
    const before = this.#decides;
    // What is gone over, and what earlier calls gave, decides how often a callback is called.
    const data = [...touched].filter(({ kind }) => kind !== "function");
    const earlier = this.#earlier(touched, name);
    const failures = isCatch ? this.#failuresOf(touched) : [];
    const decides = this.heap.choice([...data, ...earlier, ...failures]);
    for (const each of this.heap.reach(touched)) {
      this.#decides = union(before, decides);
      for (const getter of each.getters.values()) this.#callFunction(getter, new Set([each]), [], new Set());
      this.#decides = before;
      if (each.kind === "call_skill" || each.kind === "call_tool")
        this.heap.add(result.rest, [this.#worldCall(each.kind, node, [all, all], all)]);
      if (each.kind !== "function") continue;
      this.#decides = union(before, decides);
      this.heap.add(result.rest, this.#callFunction(each, all, [], all));
      if (this.#instances.has(each))
        this.heap.add(result.rest, this.#construct(node, new Set([each]), [], all));
      this.#decides = before;
    }
    if (name !== undefined && MATCHES.has(name)) {
      const choice = union(this.heap.choice(touched), this.#decides);
      for (const each of touched)
        if (each.kind === "library" && each !== this.heap.library) this.heap.add(each.rest, choice);
    }
    if (!isNew && !this.#isPure(node, owners, name))
      for (const each of touched)
        if (each !== this.heap.library) this.#write(new Set([each]), undefined, all, node);
    return all;
  }

  /** Whether a call of the library changes nothing; `call` and `apply` do what the function does. */
  #isPure(node: ts.Node, owners: AbstractValues, name: string | undefined): boolean {
    if (name !== "call" && name !== "apply") return name !== undefined && PURE.has(name);
    if ([...owners].every((each) => this.#bodies.has(each))) return true;
    const callee = ts.isCallExpression(node) ? withoutAssertions(node.expression) : undefined;
    const called = callee && ts.isPropertyAccessExpression(callee) ? callee.expression : undefined;
    return called !== undefined && ts.isPropertyAccessExpression(called) && PURE.has(called.name.text);
  }

  /** What earlier calls of a callback may have done to the later ones. */
  #earlier(functions: AbstractValues, name: string | undefined): AbstractValues {
    const bodies = [...functions].flatMap((each) => this.#bodies.get(each) ?? []);
    const throws = this.#isTried ? bodies.map((body) => body.throws) : [];
    const gives = name !== undefined && ENDS_EARLY.has(name) ? bodies.map((body) => body.gives) : [];
    return union(...throws, ...gives);
  }

  #library(node: ts.Node, values: AbstractValues): AbstractValue {
    const result = this.#make(node, "library", "library");
    this.heap.add(result.rest, values);
    return result;
  }

  // --- things

  #make(node: ts.Node, kind: Allocation["kind"], role = ""): Allocation {
    const roles = this.#made.get(node) ?? new Map<string, Allocation>();
    this.#made.set(node, roles);
    const known = roles.get(role);
    if (known) return known;
    const fresh = allocation(kind);
    roles.set(role, fresh);
    return fresh;
  }

  readonly #madeFor = new Map<AbstractValue, Map<ts.Node | undefined, Allocation>>();

  #makeFor(thing: AbstractValue, node: ts.Node | undefined, kind: Allocation["kind"]): Allocation {
    const known = this.#madeFor.get(thing) ?? new Map<ts.Node | undefined, Allocation>();
    this.#madeFor.set(thing, known);
    const fresh = known.get(node) ?? allocation(kind);
    known.set(node, fresh);
    return fresh;
  }
}

/** By these code is made of texts, or runs where nothing shows that it is called. */
const MAKERS: ReadonlySet<string> = new Set(["eval", "Function", "Proxy"]);
/** By these a property becomes code, where it is given a function. */
const ACCESSORS: ReadonlySet<string> = new Set(["defineProperties", "defineProperty"]);
const BEHIND: ReadonlySet<string> = new Set([
  "constructor",
  "__proto__",
  "getPrototypeOf",
  "__defineGetter__",
]);
const CONSTRUCTOR = "constructor ";
/** Methods that call what they are called on, or are given. */
const CALLS: ReadonlySet<string> = new Set(["apply", "bind", "call", "construct"]);

const LOGICAL: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.AmpersandAmpersandEqualsToken,
  ts.SyntaxKind.BarBarEqualsToken,
  ts.SyntaxKind.QuestionQuestionEqualsToken,
]);

const COMPARES: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
  ts.SyntaxKind.InstanceOfKeyword,
  ts.SyntaxKind.InKeyword,
]);

function union(...parts: readonly Iterable<AbstractValue>[]): AbstractValues {
  const all: AbstractValues = new Set();
  for (const part of parts) addTo(all, part);
  return all;
}

function withBases(things: Iterable<AbstractValue>): AbstractValues {
  const all = new Set(things);
  for (const thing of all) addTo(all, thing.bases);
  return all;
}

function addTo(to: AbstractValues, values: Iterable<AbstractValue>): void {
  for (const value of values) to.add(value);
}

/** Whether a call is written as one of the world's function itself, not as `call`, `apply` or `map` of it. */
function isDirect({ expression }: ts.CallExpression): boolean {
  const callee = withoutAssertions(expression);
  if (ts.isIdentifier(callee)) return true;
  return ts.isPropertyAccessExpression(callee) && /^call_(?:skill|tool)$/.test(callee.name.text);
}

/** `x.constructor === Object`, `x.constructor.name`, `Array.prototype.slice.call(x)`: nothing is changed or made by it. */
function isOnlyLookedAt(node: ts.PropertyAccessExpression): boolean {
  const { parent } = node;
  const isPart = ts.isPropertyAccessExpression(parent) && parent.expression === node;
  if (node.name.text === "constructor")
    return (
      (isPart && parent.name.text === "name") ||
      (ts.isBinaryExpression(parent) && COMPARES.has(parent.operatorToken.kind))
    );
  if (node.name.text !== "prototype" || !isPart) return false;
  const { parent: outer } = parent;
  return (
    ts.isPropertyAccessExpression(outer) &&
    outer.expression === parent &&
    /^(?:call|apply)$/.test(outer.name.text)
  );
}

function keyText(key: ts.Expression): string | undefined {
  const node = withoutAssertions(key);
  return ts.isStringLiteralLike(node) || ts.isNumericLiteral(node) ? node.text : undefined;
}

/** Whether a statement can end the block that it is in, other than by an error. */
function leaves(node: ts.Node): boolean {
  if (ts.isReturnStatement(node) || ts.isBreakOrContinueStatement(node)) return true;
  if (ts.isFunctionLike(node) || ts.isClassLike(node)) return false;
  return ts.forEachChild(node, (child) => leaves(child) || undefined) ?? false;
}

/** The loop, the switch or the block that a `break` or a `continue` is about. */
function targetOf(node: ts.BreakOrContinueStatement): ts.Node {
  const { label } = node;
  const target = ts.findAncestor(node.parent, (each) =>
    label
      ? ts.isLabeledStatement(each.parent) && each.parent.label.text === label.text
      : ts.isIterationStatement(each, false) || (ts.isBreakStatement(node) && ts.isSwitchStatement(each)),
  );
  return target ?? node.getSourceFile();
}

function isWithin(inner: ts.Node, outer: ts.Node): boolean {
  return inner.pos >= outer.pos && inner.end <= outer.end;
}

/** Whether code handles that a promise is rejected, other than by `try`. */
function catchesRejections(node: ts.Node): boolean {
  const name = ts.isPropertyAccessExpression(node)
    ? node.name.text
    : ts.isElementAccessExpression(node)
      ? keyText(node.argumentExpression)
      : ts.isBindingElement(node)
        ? (node.propertyName ?? node.name).getText()
        : undefined;
  if (name !== undefined && REJECTION_METHODS.has(name)) return true;
  if (name === "then" && !(ts.isCallExpression(node.parent) && node.parent.arguments.length === 1))
    return true;
  return ts.forEachChild(node, (child) => catchesRejections(child) || undefined) ?? false;
}

const REJECTION_METHODS: ReadonlySet<string> = new Set(["allSettled", "any", "catch", "race"]);

function hasTry(node: ts.Node): boolean {
  return ts.isTryStatement(node) || (ts.forEachChild(node, (child) => hasTry(child) || undefined) ?? false);
}

/** What becomes of the promise that a call gives: whether the code waits for it before it does anything else. */
function fateOf(call: ts.Node): "awaited" | "returned" | "kept" {
  for (let node = call; ; node = node.parent) {
    const { parent } = node;
    if (ts.isAwaitExpression(parent)) return "awaited";
    if (ts.isReturnStatement(parent) || (ts.isArrowFunction(parent) && parent.body === node))
      return "returned";
    const isStep =
      ts.isParenthesizedExpression(parent) ||
      ts.isAsExpression(parent) ||
      ts.isNonNullExpression(parent) ||
      (ts.isPropertyAccessExpression(parent) && CHAINED.has(parent.name.text)) ||
      (ts.isCallExpression(parent) && parent.expression === node && ts.isPropertyAccessExpression(node));
    if (!isStep) return "kept";
  }
}

const CHAINED: ReadonlySet<string> = new Set(["catch", "finally", "then"]);

function isAsync(node: ts.FunctionLikeDeclaration): boolean {
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ?? false)
  );
}

function hasStatic(node: ts.HasModifiers): boolean {
  return ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) ?? false;
}

function isOnlyType(node: ts.Node): boolean {
  return (
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isTypeNode(node)
  );
}

/** What a declaration without a name is called by, such as a default export. */
function symbolOf(node: ts.Node): ts.Symbol | undefined {
  return (node as ts.Node & { readonly symbol?: ts.Symbol }).symbol;
}

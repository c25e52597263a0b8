/**
 * What synthesis prefers, in one table. A cost says how much a way to a value supposes that one run cannot show: the
 * cheapest way is taken. A score says how likely a value comes from a place: the highest is taken. Only their order
 * matters. They were set by hand on recorded runs; `test/learn/synthesis/weights.test.ts` has, for each of them, a case
 * that comes out differently when it is changed.
 */
export const WEIGHTS = {
  // --- costs of telling an element of a collection from the others

  /** By an id that the caller gives, or that is an argument already. */
  costOfGivenId: 1,
  /** By a name, title, kind … that the task speaks of. */
  costOfMentionedName: 2,
  /** More for a field that people do not call things by; twice where the task does not speak of its value. */
  costOfOtherField: 1,
  /** By a part of a text that the task says: another text may have it in another place. */
  costOfSaidPart: 4,
  /** By nothing, as every element has the value: another run may have several. */
  costOfSameEverywhere: 6,
  /** As the only element: another run may have two. */
  costOfOnlyElement: 7,
  /** By a position that the task speaks of. */
  costOfPosition: 8,
  /** By such a position in a list that a text has. */
  costOfPositionInText: 5,
  /** By a name that only it has, of which the task does not speak. */
  costOfUniqueName: 8,
  /** By an object inside it that only it has, such as its options. */
  costOfUniqueObject: 12,
  /** By a text without letters, such as a time: nobody finds things by it. */
  costOfUniqueNumerals: 14,
  /** More where one of the elements inside it has the value. */
  costOfInnerElement: 1,
  /** By having the least or the most: nearly every element has in something. */
  costOfExtreme: 10,
  /** For each condition that must hold besides the first. */
  costOfAnotherCondition: 2,
  /** For details that the caller may add to a name: below 0, as they never hurt. */
  costOfOptionalDetail: -0.5,
  /** Among the elements of all inner lists, instead of those of one. */
  costOfFlatList: 1,

  // --- scores of flows

  /** Of any place with an equal value. */
  scoreOfFlow: 50,
  /** Times the likeness of the argument's name and the field's, from 0 to 3. */
  scoreOfLikeName: 10,
  /** In a loop: what the round itself is about, before what stands elsewhere. */
  scoreOfRound: 20,
  /** For the latest step; less for earlier ones. */
  scoreOfRecency: 4,
  /** Off, times the cost of the way. */
  scorePerCost: 2,
  /** Off, for each part of the path. */
  scorePerDepth: 0.5,

  // --- when an equal value is more than chance

  /** Words shorter than this are equal too easily … */
  minWord: 3,
  /** … and need this score: a name that is alike. */
  minScoreOfShortWord: 65,
  /** The score that other words need. */
  minScoreOfWord: 32,
  /** Numbers from here on identify something; smaller ones count things. */
  minSpecificNumber: 1000,
  /** Texts with a digit, `@`, `#` or `/` identify something from this length on … */
  minSpecificText: 4,
  /** … and texts of whatever characters from this on. */
  minSpecificProse: 24,
  /** Names, with a capital letter, from this length on. */
  minEntityName: 3,

  // --- what nobody could say without having been told: opaque ids

  /** Texts without spaces that have so many digits … */
  minOpaqueDigits: 5,
  /** … or so many, … */
  minOpaqueFewDigits: 3,
  /** … in a text of this length, … */
  minOpaqueText: 6,
  /** … of which more than this share is digits. */
  minOpaqueShare: 0.3,

  // --- values made of others

  /** Smaller results of a calculation are met by chance. */
  minCalculated: 3,
  /** Runs of words shorter than this are no part of a composed text. */
  minComposedRun: 3,
  /** Dates further apart than this have nothing to do with each other. */
  maxDays: 366,
};

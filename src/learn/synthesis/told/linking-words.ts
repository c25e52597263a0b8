/** Words of any sentence or letter, which say nothing of what it is about. */
export const LINKING_WORDS: ReadonlySet<string> = new Set(
  [
    "a an the this that these those here it its we you your our us i my and or with for of from to on in at by as until till",
    "is are was were be will has have please see below above hi hello dear hey thanks thank kind best regards sincerely yours",
    "der die das den dem des ein eine einen einem einer es wir sie ihr ihre unser unsere und oder mit für von vom zu zum zur",
    "auf in im an am bei bis um ist sind war waren wird werden hat haben bitte hallo liebe lieber danke viele beste grüße",
    "le la les un une des du de et ou avec pour à au aux en dans sur par est sont sera votre notre nous vous bonjour merci",
    "el los las una unos y o con para del al en por es son será su nuestro hola gracias saludos",
  ]
    .join(" ")
    .split(" "),
);

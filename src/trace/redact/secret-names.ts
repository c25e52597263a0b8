/** What a name says of that which stands under it. */
export interface SecretName {
  readonly kind: SecretKind;
  /** Whether it is a secret whatever it looks like; else it is one where it looks random, too. */
  readonly isSure: boolean;
  /** One for several: what it counts or lists may be something else. */
  readonly isPlural: boolean;
  /** Whether it may be a user and a password, with a colon between them. */
  readonly isAccount?: boolean;
}

type SecretKind =
  | "aws-secret"
  | "password"
  | "authorization"
  | "cookie"
  | "session"
  | "signature"
  | "pin"
  | "mnemonic"
  | "secret";

/**
 * What a name says, in whatever style and however it is disguised; nothing where it names no secret. One that is not known
 * yet costs looks, as it is long.
 */
export function secretName(name: string, spend?: (looks: number) => void): SecretName | undefined {
  if (name.length > MAX_NAME) return undefined;
  const known = KNOWN.get(name);
  if (known !== undefined) return known ?? undefined;
  spend?.(isAscii(name) ? name.length / 64 : name.length ** 2 / 256);
  const said = secretOf(name);
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  KNOWN.set(name, said ?? null);
  return said;
}

/**
 * Texts of which one stands in each name of a secret, in lower case. The last characters of a word stand for it too, so
 * that what divides the word does not hide it.
 */
export const NAME_MARKS: readonly string[] = [
  ..."passw|asswo|sword|passphr|passcod|pass_|pass=|pass:|pass\"|pass\\|pass'|pass<|pass>|pass |_pass|storepass|keypass|pwd|pw\"|pw\\|pw'|pw=|pw:|pw |_pw|-pw|psw|psk".split(
    "|",
  ),
  ..."secret|token|apikey|api_key|api-key|api key|api.key|accesskey|access_key|access-key|access key".split(
    "|",
  ),
  ..."privatekey|private_key|private-key|private key|signingkey|signing_key|signing-key|encryptionkey|encryption_key".split(
    "|",
  ),
  ..."encryption-key|masterkey|master_key|master-key|accountkey|account_key|sharedkey|shared_key|storagekey|storage_key".split(
    "|",
  ),
  ..."servicekey|service_key|service-key|authkey|auth_key|auth-key|hostkey|_key|-key|licensekey|webhookkey|subscriptionkey|subscription-key|functionskey|functions-key|keydata|key-data|key_data".split(
    "|",
  ),
  ...'authori|auth=|auth:|auth"|auth\\|auth\'|_auth|auth |-auth|xauth|xpasswd|credential|creds|cookie|sess|jwt|bearer|signature|sig=|sig"|hmac'.split(
    "|",
  ),
  ...'otp|mfa|cvv|cvc|mnemonic|_salt|seedphr|seed_phr|seed phr|seed-phr|recovery|backupcode|backup_code|pin"|pin=|pin:|"key"|?key=|&key=|?code=|&code=|connect.sid|sid=|sid"'.split(
    "|",
  ),
  ..."passwor|kennwor|geheim|parol|motdepas|mot_de_pas|mot de pas|mot-de-pas|mdp|contrase|senha|clave|wachtwo|senord|adgangsk|salasana|hasl|ifre|heslo|jelsz|matkhau|mat_khau|mật kh|mậtkh|hasło".split(
    "|",
  ),
  ...'парол|пароль|токен|секрет|ключ|パスワード|비밀번호|סיסמה|كلمة|密码:|密码：|密码"|密码=|密码＝|密码 |密码\'|密码\\|密码是|密码为|密碼:|密碼：|密碼"|密碼=|密碼 |密碼是|口令:|口令：|口令"|口令=|口令 |암호:|암호"|암호=|암호 |κωδικ|รหัสผ่าน|पासवर्ड'.split(
    "|",
  ),
];

/** What can stand inside a word without being seen. */
// oxlint-disable-next-line no-misleading-character-class
export const UNSEEN = /[\u00AD\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/;
const ALL_UNSEEN = new RegExp(UNSEEN.source, "g");

export function withoutUnseen(text: string): string {
  return UNSEEN.test(text) ? text.replaceAll(ALL_UNSEEN, "") : text;
}

const MAX_NAME = 120;
const MAX_KNOWN = 5000;
const KNOWN = new Map<string, SecretName | null>();

function secretOf(name: string): SecretName | undefined {
  const words = wordsOf(name);
  while (words.length > 1 && DETAILS.has(words.at(-1) ?? "")) words.pop();
  const last = words.pop();
  if (last === undefined) return undefined;
  const before = words.at(-1) ?? "";
  // "hash of a password" is a secret as well, "password policy" is none.
  const sure = (kind: SecretKind, isPlural = false): SecretName => ({ kind, isSure: true, isPlural });
  const likely = (kind: SecretKind, isPlural = false): SecretName => ({ kind, isSure: false, isPlural });
  if (before !== "" && words.includes("aws") && AWS_SECRETS.has(`${before} ${last}`))
    return sure("aws-secret");
  const singular = last.length > 3 && /[^s]s$/.test(last) ? last.slice(0, -1) : last;
  const isPlural = singular !== last;
  if (
    PASSWORDS.has(singular) ||
    PASSWORD_ENDS.test(singular) ||
    /(?:motdepasse|matkhau|mậtkhẩu)$/.test(words.join("") + last)
  )
    return sure("password", isPlural);
  if (singular === "pas" || singular === "pass") return likely("password");
  if (singular === "pwd" || singular === "pw")
    return words.length > 0 ? sure("password") : likely("password");
  if (last === "authorization") return sure("authorization");
  if (
    last === "auth" ||
    last === "oauth" ||
    last === "mfa" ||
    singular === "credential" ||
    last === "cred" ||
    last === "creds"
  )
    return { ...likely("secret", isPlural), isAccount: true };
  if (last === "cookies" || last === "cookie")
    return before === "set" ? sure("cookie") : likely("cookie", isPlural);
  if (last === "setcookie") return sure("cookie");
  if (
    SESSIONS.has(last) ||
    (before === "session" && (last === "id" || last === "key")) ||
    (before === "connect" && last === "sid")
  )
    return likely("session");
  if (singular === "signature" || last === "sig" || last === "hmac") return likely("signature");
  if (singular === "secret")
    return before === "existing" ? likely("secret", isPlural) : sure("secret", isPlural);
  if (singular === "token") {
    if (words.some((word) => NO_TOKENS.has(word))) return undefined;
    return words.some((word) => TOKENS.has(word)) ? sure("secret", isPlural) : likely("secret", isPlural);
  }
  if (singular === "key") {
    if (KEYS.has(before)) return sure("secret", isPlural);
    return words.length === 0 || NO_KEYS.has(before) ? undefined : likely("secret", isPlural);
  }
  if (KEY_ENDS.test(singular)) return sure("secret", isPlural);
  if (TOKEN_ENDS.test(singular) && !NO_TOKEN_STARTS.test(singular)) return sure("secret", isPlural);
  if (singular === "code" || singular === "phrase" || singular === "word")
    return CODES.has(before) ? sure("secret", isPlural) : undefined;
  if (last === "pin") return sure("pin");
  if (last === "mnemonic" || last === "seedphrase") return sure("mnemonic");
  if (last === "seed" && SEEDS.has(before)) return sure("secret");
  if (last === "salt" && before !== "") return likely("secret");
  if (last === "bearer") return likely("secret");
  return SECRETS.has(last) ? sure("secret") : undefined;
}

/** The words of a name in lower case, plain letters, without the numbers behind them. */
function wordsOf(name: string): string[] {
  const plain = isAscii(name) ? name : plainLetters(name);
  return plain
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\d]+/u)
    .map((word) => word.replace(/\d+$/, ""))
    .filter((word) => word !== "");
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

/** Full width, accents, what is not seen, and letters of other scripts that look like Latin ones. */
function plainLetters(name: string): string {
  const plain = withoutUnseen(name)
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036F]/g, "")
    .replaceAll("ł", "l")
    .replaceAll("ı", "i");
  if (!/[a-z]/i.test(plain)) return plain.normalize("NFC");
  return plain.replaceAll(/[\u0370-\u04FF]/g, (letter) => LOOKS_LIKE.get(letter) ?? letter);
}

const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  "аa еe оo рp сc уy хx іi ѕs ԁd кk тt һh αa οo ρp ιi κk τt υu АA ЕE ОO РP СC КK ТT ІI ЅS"
    .split(" ")
    .map((pair) => [pair.charAt(0), pair.charAt(1)]),
);

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** What can be said behind a secret's name without making it another thing. */
const DETAILS = setOf(
  "hash hashed digest new old current confirm confirmation confirmed repeat repeated again plain plaintext cleartext encrypted enc value val raw base64 base b64 prod production dev development test staging stage live default primary secondary main backup text string str header env var data content",
);
const AWS_SECRETS: ReadonlySet<string> = new Set(["access key", "secret key", "session token"]);
const PASSWORDS = setOf(
  "password passwd passphrase passcode userpwd psw passwort kennwort pas passord losenord adgangskode wachtwoord contrasena senha parola haslo salasana heslo jelszo sifre motdepasse mdp matkhau пароль парол 密码 密碼 口令 パスワード 비밀번호 암호 סיסמה κωδικος κωδικό",
);
const PASSWORD_ENDS =
  /(?:password|passwd|passphrase|passwort|kennwort|passwor[dt]s?|wachtwoord|contrasena|senha|userpwd|mdp|hash(?:pw|pass)|(?:db|user|admin|root|store|key|ftp|smtp|mail|login|sudo|become|vnc|wifi)pass|(?:db|user|admin|root)pw|пароль|密码|密碼|口令|パスワード|비밀번호|암호)$/;
const SESSIONS = setOf("phpsessid jsessionid sessid sessionid sessionkey sid");
/** A token of these lets somebody in. */
const TOKENS = setOf(
  "access refresh auth authentication authorization id bearer session csrf xsrf bot api personal service deploy deployment secret security oauth oauth2 user client registry login web webhook admin root upload verification reset activation invite jwt private device push install installation runner github gitlab npm pypi slack vercel netlify cloudflare discord telegram vault",
);
/** A token of these is a place in a list, a piece of text, or money. */
const NO_TOKENS = setOf(
  "next page paging pagination continuation continue cursor sync resume first last special progress start end prev previous mask pad eos bos unk sep cls stop change delta skip marker max min num count total prompt completion input output base quote from to erc20 native reward governance staking lp in out sell buy text design lexer parser unknown begin",
);
const KEYS = setOf(
  "api access secret private signing encryption encrypt decryption master account shared storage service auth authorization admin root application app subscription functions deploy ssh gpg pgp rsa ssl tls server client webhook jwt hmac aes des cipher session symmetric publishable cookie crypt license licence write ingest integration consumer sas rest",
);
const NO_KEYS = setOf(
  "public primary foreign partition sort hash range cache idempotency object sort row column map dictionary json translation i18n message locale query search index group lookup natural unique composite candidate super surrogate translate label field property attribute routing dedupe deduplication shortcut hot arrow tab enter escape return space shift control alt meta press issue project jira ticket sheet feature config setting registry event metric storage_class product item order s3 data feed",
);
const KEY_ENDS =
  /(?:apikey|accesskey|secretkey|privatekey|signingkey|encryptionkey|masterkey|accountkey|sharedkey|sharedaccesskey|storagekey|servicekey|authkey|appkey|subscriptionkey|functionskey|sshkey|deploykey|licensekey|geheimnis|schlussel|секрет|секретныйключ)$/;
const TOKEN_ENDS = /(?:token|токен|jwt|clientsecret|appsecret|secret)$/;
const NO_TOKEN_STARTS =
  /^(?:next|page|continuation|cursor|sync|pagination|resume|first|last|special|max|min|num|total|base|quote|design|un|de)/;
const CODES = setOf(
  "recovery backup mfa totp otp verification auth authorization security seed secret mnemonic key access device",
);
const SECRETS = setOf("jwt otp totp cvv cvc csc apikey geheim clave psk xpasswd privkey");
const SEEDS = setOf("otp totp hotp mfa 2fa authenticator wallet hd master");

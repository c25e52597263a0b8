/** A kind of credential that is known by its form. */
export interface Credential {
  readonly kind: string;
  /** Matches in each text that holds one, and in few others. Every alternative begins with three literal signs. */
  readonly hint: RegExp;
  /**
   * Global. Repeats nothing without limit, since it reads text that may be hostile. What the groups `before` and `after`
   * match stays; what `secret` matches may turn out to be none.
   */
  readonly pattern: RegExp;
}

/** Credentials by the key under which they are, without `-`, `_`, `.` and spaces, in lower case. */
export interface SecretKey {
  readonly kind: string;
  /** As above, in JSON texts that have such a key. */
  readonly hint: RegExp;
  readonly pattern: RegExp;
}

/** Where several fit, the first takes it. */
export const CREDENTIALS: readonly Credential[] = [
  known(
    "private-key",
    /PRIVATE KEY/,
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,20000}?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  ),
  known("age-key", /AGE-SECRET-KEY-/, /AGE-SECRET-KEY-1[0-9A-Z]{58}/g),
  known("jwt", /eyJ/, /(?<![A-Za-z0-9])eyJ[\w-]{8,4096}\.eyJ[\w-]{4,4096}\.[\w-]{8,2048}/g),
  known("anthropic", /sk-ant-/, /(?<![A-Za-z0-9])sk-ant-[\w-]{20,200}/g),
  known(
    "openai",
    /sk-[\w-]{16}/,
    /(?<![A-Za-z0-9])sk-(?:(?:proj|svcacct|admin|or-v1)-[\w-]{20,250}|[A-Za-z0-9]{20,64}(?![\w-]))/g,
  ),
  known(
    "github",
    /ghp_|gho_|ghu_|ghs_|ghr_|github_pat_/,
    /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{30,255})/g,
  ),
  known(
    "gitlab",
    /glpat-|gldt-|glptt-|glrt-|glcbt-|glft-|gloas-|glagent-/,
    /(?<![A-Za-z0-9])gl(?:pat|dt|ptt|rt|cbt|ft|oas|agent)-[\w.-]{18,300}/g,
  ),
  known("aws-key-id", /AKIA|ASIA|ABIA|ACCA/, /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g),
  known(
    "aws-secret",
    /aws_?(?:secret|session)/i,
    /(?<before>\baws_?(?:secret_?access_?key|secret_?key|session_?token)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)(?<secret>[A-Za-z0-9/+=]{20,2048})/gi,
  ),
  known(
    "google",
    /AIza|ya29\.|GOCSPX-/,
    /(?<![A-Za-z0-9])(?:AIza[\w-]{35}|ya29\.[\w-]{20,2048}|GOCSPX-[\w-]{20,64})/g,
  ),
  known(
    "stripe",
    /sk_live_|sk_test_|rk_live_|rk_test_|whsec_/,
    /(?<![A-Za-z0-9])(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/=]{20,128})/g,
  ),
  known(
    "slack",
    /xox[a-z]-|xapp-|hooks\.slack\.com/,
    /(?<![A-Za-z0-9])(?:xox[abeoprs]-[\w-]{10,255}|xapp-[\w-]{20,255})|(?<before>hooks\.slack\.com\/(?:services|workflows)\/)[\w/-]{20,200}/g,
  ),
  known(
    "twilio",
    /SK0|SK1|SK2|SK3|SK4|SK5|SK6|SK7|SK8|SK9|SKa|SKb|SKc|SKd|SKe|SKf/,
    /(?<![A-Za-z0-9])SK[0-9a-f]{32}\b/g,
  ),
  known("sendgrid", /SG\.[\w-]{8}/, /(?<![A-Za-z0-9])SG\.[\w-]{16,64}\.[\w-]{16,128}/g),
  known("mailgun", /key-[0-9a-f]{8}/, /(?<![A-Za-z0-9])key-[0-9a-f]{32}\b/g),
  known("npm", /npm_/, /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}\b/g),
  known("pypi", /pypi-/, /(?<![A-Za-z0-9])pypi-[\w-]{32,512}/g),
  known("hugging-face", /hf_/, /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,64}\b/g),
  known("digitalocean", /dop_v1_|doo_v1_|dor_v1_/, /(?<![A-Za-z0-9])do[opr]_v1_[0-9a-f]{64}\b/g),
  known("docker", /dckr_pat_/, /(?<![A-Za-z0-9])dckr_pat_[\w-]{20,64}/g),
  known("shopify", /shpat_|shpca_|shppa_|shpss_/, /(?<![A-Za-z0-9])shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/g),
  known("telegram", /:AA/, /\b\d{8,10}:AA[\w-]{33}(?![\w-])/g),
  known(
    "discord",
    /discord(?:app)?\.com\/api\/webhooks/i,
    /(?<before>\bdiscord(?:app)?\.com\/api\/webhooks\/\d{10,24}\/)[\w-]{40,100}/g,
  ),
  known("databricks", /dapi/, /(?<![A-Za-z0-9])dapi[0-9a-f]{32}\b/g),
  known("vault", /hvs\.|hvb\./, /(?<![A-Za-z0-9])hv[sb]\.[\w-]{24,256}/g),
  known("square", /sq0/, /(?<![A-Za-z0-9])sq0(?:atp|csp)-[\w-]{22,64}/g),
  known("notion", /ntn_/, /(?<![A-Za-z0-9])ntn_[A-Za-z0-9]{40,64}\b/g),
  known("linear", /lin_api_/, /(?<![A-Za-z0-9])lin_api_[A-Za-z0-9]{32,64}\b/g),
  known("groq", /gsk_/, /(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{40,64}\b/g),
  known("replicate", /r8_/, /(?<![A-Za-z0-9])r8_[A-Za-z0-9]{37}\b/g),
  known("perplexity", /pplx-/, /(?<![A-Za-z0-9])pplx-[A-Za-z0-9]{40,64}\b/g),
  known("atlassian", /ATATT3/, /(?<![A-Za-z0-9])ATATT3[\w=-]{40,300}/g),
  known(
    "azure",
    /AccountKey=|SharedAccessKey=|sig=/,
    /(?<before>\b(?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/=]{20,200}|(?<before>[?&]sig=)[A-Za-z0-9%+/=_-]{20,200}/g,
  ),
  known(
    "url-password",
    /:\/\/[^\s/@"]{0,256}@/i,
    /(?<before>\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/"'<>\\]{0,256}:)(?<secret>[^\s@/"'<>\\]{1,512})(?<after>@)/gi,
  ),
  known(
    "authorization",
    /authorization/i,
    /(?<before>\bauthorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:(?:bearer|basic|token|digest|apikey|negotiate)\s{1,4})?)(?!(?:bearer|basic|token|digest|apikey|negotiate)\s)(?<secret>[^\s"'\\,;<>]{6,4096})/gi,
  ),
  known(
    "authorization",
    /bearer\s/i,
    /(?<before>\bbearer\s{1,4})(?<secret>(?=[\w.~+/=-]{0,512}\d)[\w.~+/=-]{16,4096})/gi,
  ),
  known(
    "cookie",
    /cookie[\\"']{0,4}\s{0,4}:/i,
    /(?<before>\b(?:set-)?cookie\\?["']?\s{0,4}:\s{0,4}\\?["']?)(?<secret>[^\r\n"'\\]{0,256}=[^\r\n"'\\]{1,4096})/gi,
  ),
  known(
    "session",
    /sess(?:ion)?_?id=|session_token=|connect\.sid=/i,
    /(?<before>\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid|sessionid|session_id|session_token|sess_id)=)(?<secret>[^\s;&"'\\<>]{8,1024})/gi,
  ),
  known(
    "password",
    /passw|pwd|passphrase/i,
    /(?<before>(?:password|passwd|passphrase|\bpwd)\\{0,3}["']?\s{0,4}(?:=|:(?!\/\/))\s{0,4}\\{0,3}["'])(?<secret>[^\r\n"'\\]{1,1024})/gi,
  ),
  known(
    "password",
    /passw|pwd|passphrase/i,
    /(?<before>(?:password|passwd|passphrase|\bpwd)\s?=)(?<secret>[^\s"'\\&;,=()]{3,1024})(?![^\s"'\\&;,]{0,64}\()/gi,
  ),
  known(
    "secret",
    /secret(?:[_-]?key)?[\\"']{0,8}\s{0,4}[:=]|token[\\"']{0,8}\s{0,4}[:=]|api[_-]?key[\\"']{0,8}\s{0,4}[:=]|private[_-]?key[\\"']{0,8}\s{0,4}[:=]|signing[_-]?key[\\"']{0,8}\s{0,4}[:=]|encryption[_-]?key[\\"']{0,8}\s{0,4}[:=]/i,
    /(?<before>(?:secret|(?:access|refresh|auth|id|bearer|session|csrf|bot|api)[_-]?token|\btoken|api[_-]?key|(?:private|secret|signing|encryption)[_-]?key)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["'])(?<secret>[^\r\n"'\\]{6,4096})/gi,
  ),
  known(
    "secret",
    /secret(?:[_-]?key)?[\\"']{0,8}\s{0,4}[:=]|token[\\"']{0,8}\s{0,4}[:=]|api[_-]?key[\\"']{0,8}\s{0,4}[:=]|private[_-]?key[\\"']{0,8}\s{0,4}[:=]|signing[_-]?key[\\"']{0,8}\s{0,4}[:=]|encryption[_-]?key[\\"']{0,8}\s{0,4}[:=]/i,
    /(?<before>(?:secret|(?:access|refresh|auth|id|bearer|session|csrf|bot|api)[_-]?token|\btoken|api[_-]?key|(?:private|secret|signing|encryption)[_-]?key)(?:=|:\s?|\s=\s)["']?)(?<secret>(?=[\w.~+/-]{0,512}\d)[\w.~+/=-]{12,4096})/gi,
  ),
];

export const SECRET_KEYS: readonly SecretKey[] = [
  {
    kind: "password",
    hint: /passw|pwd|passphrase/i,
    pattern: /(?:password|passwd|passphrase|^pwd|userpwd)$/,
  },
  { kind: "authorization", hint: /authorization/i, pattern: /authorization$/ },
  { kind: "cookie", hint: /cookies?[-_. ]*":/i, pattern: /^(?:set)?cookies?$/ },
  {
    kind: "session",
    hint: /sess(?:ion)?[-_. ]?(?:id|token|key)[-_. ]*":/i,
    pattern: /^(?:phpsessid|jsessionid|sessid|sessionid|sessiontoken|sessionkey)$/,
  },
  {
    kind: "secret",
    hint: /secret[-_. ]*":|token[-_. ]*":|bearer[-_. ]*":|credential[-_. ]*":|api[-_. ]?key[-_. ]*":|access[-_. ]?key[-_. ]*":|secret[-_. ]?key[-_. ]*":|private[-_. ]?key[-_. ]*":|signing[-_. ]?key[-_. ]*":|encryption[-_. ]?key[-_. ]*":/i,
    pattern:
      /(?:secret|apikey|apitoken|accesskey|secretkey|privatekey|signingkey|encryptionkey|(?<!page|next|continuation|cursor|sync|pagination|resume|first|last|special|progress)token|credential|^bearer)$/,
  },
];

function known(kind: string, hint: RegExp, pattern: RegExp): Credential {
  return { kind, hint, pattern };
}

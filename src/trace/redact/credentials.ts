/** A kind of credential that is known by its form alone. */
export interface Credential {
  readonly kind: string;
  /** Where the form is described. */
  readonly source: string;
  /** Literal texts, of at least three characters, one of which stands in each credential of this kind. */
  readonly marks: readonly string[];
  /** How many characters of the credential can stand before the mark. */
  readonly before: readonly number[];
  /**
   * Sticky: the whole credential, of a bounded length, at its first character. Parts that are repeated are told apart by
   * what stands between them, so that nothing is looked at again and again.
   */
  readonly shape: RegExp;
  /** What stands right before it where it is another thing of the same form. */
  readonly unless?: RegExp;
}

const GITLEAKS = "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml";
const SECRETLINT = "https://github.com/secretlint/secretlint";

/** Where several fit at the same place, the first takes it. */
export const CREDENTIALS: readonly Credential[] = [
  // Models
  known("anthropic", SECRETLINT, ["sk-ant-"], /sk-ant-[\w-]{20,200}/),
  known(
    "openai",
    GITLEAKS,
    ["sk-"],
    /sk-(?:(?:proj|svcacct|admin|or-v1|None)-[\w-]{20,250}|[A-Za-z0-9]{20,64}(?!\w|-(?!----)))/,
  ),
  known("langfuse", "https://langfuse.com/docs", ["sk-lf-"], /sk-lf-[0-9a-f]{8}-[0-9a-f-]{27}/),
  known("deepseek", "https://api-docs.deepseek.com", ["sk-"], /sk-[0-9a-f]{32}(?!\w|-(?!----))/),
  known("hugging-face", SECRETLINT, ["hf_", "api_org_"], /(?:hf|api_org)_[A-Za-z0-9]{30,64}(?!\w)/),
  known("xai", "https://docs.x.ai", ["xai-"], /xai-[A-Za-z0-9]{40,128}(?!\w)/),
  known("groq", SECRETLINT, ["gsk_"], /gsk_[A-Za-z0-9]{40,64}(?!\w)/),
  known("replicate", "https://replicate.com/docs", ["r8_"], /r8_[A-Za-z0-9]{37}(?!\w)/),
  known("perplexity", GITLEAKS, ["pplx-"], /pplx-[A-Za-z0-9]{40,64}(?!\w)/),
  known("cerebras", "https://inference-docs.cerebras.ai", ["csk-"], /csk-[a-z0-9]{40,64}(?!\w)/),
  known("fireworks", "https://docs.fireworks.ai", ["fw_"], /fw_[A-Za-z0-9]{20,64}(?!\w)/),
  known("nvidia", "https://docs.nvidia.com/nim", ["nvapi-"], /nvapi-[\w-]{40,128}/),
  known("pinecone", "https://docs.pinecone.io", ["pcsk_"], /pcsk_[\w-]{40,128}/),
  known("tavily", "https://docs.tavily.com", ["tvly-"], /tvly-[\w-]{24,80}/),
  known(
    "langsmith",
    "https://docs.smith.langchain.com",
    ["lsv2_"],
    /lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}/,
  ),
  known("elevenlabs", "https://elevenlabs.io/docs", ["sk_"], /sk_[0-9a-f]{48}(?!\w)/),
  known("firecrawl", "https://docs.firecrawl.dev", ["fc-"], /fc-[0-9a-f]{32}(?!\w|-(?!----))/),
  known("e2b", "https://e2b.dev/docs", ["e2b_"], /e2b_[0-9a-f]{40}(?!\w)/),
  known("apify", "https://docs.apify.com", ["apify_api_"], /apify_api_[A-Za-z0-9]{30,64}(?!\w)/),
  known("together", "https://docs.together.ai", ["tgp_v1_"], /tgp_v1_[\w-]{40,64}/),
  known("jina", "https://jina.ai", ["jina_"], /jina_[\w-]{40,80}/),
  known(
    "bedrock",
    "https://docs.aws.amazon.com/bedrock",
    ["ABSK", "bedrock-api-key-"],
    /ABSK[A-Za-z0-9+/]{100,300}={0,2}|bedrock-api-key-[A-Za-z0-9+/=_-]{40,4096}/,
  ),
  known("google", "https://ai.google.dev/gemini-api/docs/api-key", ["AQ.Ab"], /AQ\.Ab[\w-]{40,120}/),
  // Passwords as they are stored
  known(
    "password-hash",
    "https://github.com/hashcat/hashcat",
    ["$2a", "$2b", "$2x", "$2y"],
    /\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}/,
  ),
  known(
    "password-hash",
    "https://www.man7.org/linux/man-pages/man5/crypt.5.html",
    ["$1$", "$5$", "$6$", "$7$", "$8$", "$9$", "$y$", "$gy", "$apr1$", "$md5", "$sha1$", "$P$", "$H$", "$S$"],
    /\$(?:[15679yPHS8]|gy|apr1|md5|sha1)\$(?:rounds=\d{1,9}\$)?(?:[./A-Za-z0-9+=-]{1,64}\$){0,2}[./A-Za-z0-9]{22,100}(?!\w)/,
  ),
  known(
    "password-hash",
    "https://github.com/P-H-C/phc-string-format",
    ["$argon2", "$scrypt$", "$pbkdf2", "$bcrypt"],
    /\$(?:argon2(?:id|i|d)|scrypt|pbkdf2[a-z0-9-]{0,12}|bcrypt[a-z0-9-]{0,12})\$(?:[A-Za-z0-9=,]{1,64}\$){0,2}[A-Za-z0-9+/.=]{4,128}\$[A-Za-z0-9+/.=]{16,256}/,
  ),
  known(
    "password-hash",
    "https://docs.djangoproject.com/en/stable/topics/auth/passwords",
    ["pbkdf2_sha", "bcrypt_sha", "argon2$", "pbkdf2:sha", "scrypt:"],
    /(?:pbkdf2_sha\d{1,3}\$\d{1,9}\$|bcrypt_sha256\$\$2b\$\d\d\$|argon2\$argon2id\$v=\d{1,3}\$[a-z0-9=,]{1,40}\$|pbkdf2:sha\d{1,3}(?::\d{1,9})?\$|scrypt:\d{1,9}:\d{1,3}:\d{1,3}\$)(?:[A-Za-z0-9+/.=]{1,64}\$)?[A-Za-z0-9+/.=]{20,200}/,
  ),
  known(
    "password-hash",
    "https://www.openldap.org/doc/admin26/security.html",
    ["{SSHA", "{SHA", "{SMD5", "{CRYPT", "{PBKDF2", "{ARGON2"],
    /\{(?:SSHA\d{0,3}|SHA\d{0,3}|SMD5|CRYPT|PBKDF2[A-Z0-9-]{0,10}|ARGON2)\}[A-Za-z0-9+/.=$,_-]{20,256}/i,
  ),
  known(
    "password-hash",
    "https://www.postgresql.org/docs/current/auth-password.html",
    ["SCRAM-SHA-"],
    /SCRAM-SHA-(?:1|256)\$\d{1,7}:[A-Za-z0-9+/=]{8,64}\$[A-Za-z0-9+/=]{20,64}:[A-Za-z0-9+/=]{20,64}/,
  ),
  known(
    "password-hash",
    "https://github.com/hashcat/hashcat",
    ["aad3b435b51404ee"],
    /aad3b435b51404eeaad3b435b51404ee:[0-9a-f]{32}/i,
  ),
  // Keys without a frame
  known(
    "private-key",
    "https://datatracker.ietf.org/doc/html/rfc5958",
    ["IBADAN", "IBAAKC"],
    /MI[A-Za-z0-9+/]{4}(?:IBADANBgkqhkiG9w0BAQEFA|IBAAKC[A-D])[A-Za-z0-9+/=\s\\]{100,8000}/,
    [6],
  ),
  known(
    "private-key",
    "https://datatracker.ietf.org/doc/html/rfc5915",
    ["MIGHAgEAMBM", "MIG2AgEAMBA", "MC4CAQAwBQYDK2Vw", "MHcCAQEEI", "MIGkAgEBBD"],
    /(?:MIGHAgEAMBM|MIG2AgEAMBA|MC4CAQAwBQYDK2Vw|MHcCAQEEI|MIGkAgEBBD)[A-Za-z0-9+/]{40,400}={0,2}/,
  ),
  known(
    "minisign",
    "https://jedisct1.github.io/minisign",
    ["RWRTY0Iy"],
    /RWRTY0Iy[A-Za-z0-9+/]{100,260}={0,2}/,
  ),
  // Code
  known(
    "github",
    SECRETLINT,
    ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    /gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{30,255}/,
  ),
  known(
    "gitlab",
    GITLEAKS,
    [
      "glpat-",
      "gldt-",
      "glptt-",
      "glrt-",
      "glrtr-",
      "glcbt-",
      "glft-",
      "gloas-",
      "glagent-",
      "glsoat-",
      "glimt-",
      "glffct-",
      "glwt-",
    ],
    /gl(?:pat|dt|ptt|rtr?|cbt|ft|oas|agent|soat|imt|ffct|wt)-[\w.-]{18,300}/,
  ),
  known("gitlab", GITLEAKS, ["GR1348941"], /GR1348941[\w-]{20}/),
  known(
    "bitbucket",
    "https://support.atlassian.com/bitbucket-cloud",
    ["ATBB", "ATCTT3"],
    /AT(?:BB[A-Za-z0-9]{28,40}|CTT3[\w=-]{60,300})(?!\w)/,
  ),
  known("atlassian", GITLEAKS, ["ATATT3", "ATSTT3"], /AT[AS]TT3[\w=-]{40,300}/),
  known("npm", SECRETLINT, ["npm_"], /npm_[A-Za-z0-9]{36}(?!\w)/),
  known("pypi", GITLEAKS, ["pypi-"], /pypi-[\w-]{32,512}/),
  known("rubygems", GITLEAKS, ["rubygems_"], /rubygems_[0-9a-f]{48}(?!\w)/),
  known("crates", "https://doc.rust-lang.org/cargo", ["cio"], /cio[A-Za-z0-9]{32}(?!\w)/),
  known("nuget", "https://learn.microsoft.com/nuget", ["oy2"], /oy2[a-z0-9]{43}(?!\w)/),
  known("clojars", GITLEAKS, ["CLOJARS_"], /CLOJARS_[0-9a-z]{60}(?!\w)/),
  known("docker", SECRETLINT, ["dckr_pat_", "dckr_oat_"], /dckr_[po]at_[\w-]{20,64}/),
  known(
    "artifactory",
    GITLEAKS,
    ["AKCp", "cmVmdGtu"],
    /AKCp[A-Za-z0-9]{69}(?!\w)|cmVmdGtu[A-Za-z0-9]{56}(?!\w)/,
  ),
  known("sourcegraph", GITLEAKS, ["sgp_"], /sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}(?!\w)/i),
  known("postman", GITLEAKS, ["PMAK-"], /PMAK-[0-9a-f]{24}-[0-9a-f]{34}(?!\w)/i),
  known(
    "circleci",
    "https://circleci.com/docs",
    ["CCIPAT_", "CCIPRJ_"],
    /CCIP(?:AT|RJ)_[A-Za-z0-9]{16,32}_[0-9a-f]{40}(?!\w)/,
  ),
  known("buildkite", "https://buildkite.com/docs", ["bkua_", "bkct_"], /bk(?:ua|ct)_[\w-]{32,80}/),
  known("sonar", "https://docs.sonarsource.com", ["sqp_", "sqa_", "squ_"], /sq[pau]_[0-9a-f]{40}(?!\w)/),
  known("linear", SECRETLINT, ["lin_api_", "lin_oauth_"], /lin_(?:api|oauth)_[A-Za-z0-9]{32,128}(?!\w)/),
  known("notion", SECRETLINT, ["ntn_", "secret_"], /(?:ntn_[A-Za-z0-9]{40,64}|secret_[A-Za-z0-9]{43})(?!\w)/),
  known("figma", SECRETLINT, ["figd_", "figo_", "figu_", "figor_"], /fig(?:d|o|u|or)_[\w-]{36,200}/),
  known("airtable", "https://airtable.com/developers", ["pat"], /pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?!\w)/),
  known(
    "asana",
    "https://developers.asana.com",
    ["1/1", "2/1"],
    /[12]\/1[0-9]{12,16}(?:\/[0-9]{12,18})?:[0-9a-f]{32}(?!\w)/,
  ),
  known("typeform", GITLEAKS, ["tfp_"], /tfp_[\w.=-]{40,80}/),
  known("readme", GITLEAKS, ["rdme_"], /rdme_[a-z0-9]{70}(?!\w)/),
  known("1password", SECRETLINT, ["ops_ey"], /ops_ey[\w+/=-]{100,2000}/),
  known(
    "1password",
    GITLEAKS,
    ["A3-"],
    /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}(?!\w)/,
  ),
  known(
    "doppler",
    GITLEAKS,
    ["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
    /dp\.(?:pt|ct|sa|scim|audit|st(?:\.[a-z0-9_-]{2,35})?)\.[A-Za-z0-9]{40,44}(?!\w)/,
  ),
  known("age-key", GITLEAKS, ["AGE-SECRET-KEY-1"], /AGE-SECRET-KEY-1[0-9A-Z]{58}(?!\w)/),
  // Clouds
  known("aws-key-id", SECRETLINT, ["AKIA", "ASIA", "ABIA", "ACCA"], /A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?!\w)/),
  known("aws-bedrock", GITLEAKS, ["ABSKQmVkcm9ja0FQSUtleS"], /ABSK[A-Za-z0-9+/]{100,280}={0,2}/),
  known(
    "google",
    GITLEAKS,
    ["AIza", "ya29.", "GOCSPX-", "1//0"],
    /AIza[\w-]{35}(?!\w|-(?!----))|ya29\.[\w-]{20,2048}|GOCSPX-[\w-]{20,64}|1\/\/0[\w-]{40,200}/,
  ),
  known(
    "firebase-messaging",
    "https://firebase.google.com/docs/cloud-messaging",
    [":APA91b"],
    /[\w-]{11,24}:APA91b[\w-]{100,200}/,
    [11, 22, 24],
  ),
  known(
    "azure-ad",
    GITLEAKS,
    ["0Q~", "1Q~", "2Q~", "3Q~", "4Q~", "5Q~", "6Q~", "7Q~", "8Q~", "9Q~"],
    /[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~]|-(?!----))/,
    [3],
  ),
  known(
    "azure-devops",
    "https://learn.microsoft.com/azure/devops",
    ["AZDO"],
    /[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?!\w)/,
    [76],
  ),
  known("digitalocean", GITLEAKS, ["dop_v1_", "doo_v1_", "dor_v1_"], /do[opr]_v1_[0-9a-f]{64}(?!\w)/),
  known("alibaba", GITLEAKS, ["LTAI"], /LTAI[A-Za-z0-9]{12,24}(?!\w)/),
  known("tencent", "https://cloud.tencent.com/document", ["AKID"], /AKID[A-Za-z0-9]{32}(?!\w)/),
  known("heroku", GITLEAKS, ["HRKU-"], /HRKU-[\w-]{36,70}/),
  known(
    "fly",
    GITLEAKS,
    ["fo1_", "fm1r_", "fm1a_", "fm2_"],
    /fo1_[\w-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{60,2000}={0,3}/,
  ),
  known("render", "https://render.com/docs", ["rnd_"], /rnd_[A-Za-z0-9]{28,40}(?!\w)/),
  known("vercel", SECRETLINT, ["vcp_", "vci_", "vca_", "vcr_", "vck_"], /vc[piark]_[A-Za-z0-9]{20,60}(?!\w)/),
  known(
    "netlify",
    "https://docs.netlify.com",
    ["nfp_", "nfc_", "nfo_", "nfu_"],
    /nf[pcou]_[A-Za-z0-9]{36,64}(?!\w)/,
  ),
  known("cloudflare", GITLEAKS, ["v1.0-"], /v1\.0-[0-9a-f]{24}-[0-9a-f]{146}(?!\w)/),
  known(
    "cloudflare",
    "https://developers.cloudflare.com",
    ["cfut_", "cfat_", "cfk_"],
    /cf(?:ut|at|k)_[\w-]{36,80}/,
  ),
  known(
    "supabase",
    "https://supabase.com/docs",
    ["sbp_", "sb_secret_"],
    /sb(?:p_(?:v0_)?[0-9a-f]{40}|_secret_[\w-]{20,64})(?!\w)/,
  ),
  known(
    "planetscale",
    GITLEAKS,
    ["pscale_tkn_", "pscale_oauth_", "pscale_pw_"],
    /pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}/,
  ),
  known("neon", "https://neon.com/docs", ["napi_"], /napi_[a-z0-9]{40,80}(?!\w)/),
  known("databricks", GITLEAKS, ["dapi"], /dapi[0-9a-f]{32}(?:-\d)?(?!\w)/i),
  known("vault", SECRETLINT, ["hvs.", "hvb.", "hvr."], /hv[sbr]\.[\w-]{24,300}/),
  known("terraform", GITLEAKS, [".atlasv1."], /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/, [14]),
  known("pulumi", GITLEAKS, ["pul-"], /pul-[0-9a-f]{40}(?!\w)/),
  known("scalingo", GITLEAKS, ["tk-us-"], /tk-us-[\w-]{48}/),
  known("openshift", GITLEAKS, ["sha256~"], /sha256~[\w-]{43}(?!\w|-(?!----))/),
  known("tailscale", "https://tailscale.com/kb", ["tskey-"], /tskey-[a-z]{2,12}-[\w-]{16,80}/),
  known("octopus", GITLEAKS, ["API-"], /API-[A-Z0-9]{26,32}(?!\w)/),
  known("prefect", GITLEAKS, ["pnu_", "pnb_"], /pn[ub]_[A-Za-z0-9]{36}(?!\w)/),
  known("infracost", GITLEAKS, ["ico-"], /ico-[A-Za-z0-9]{32}(?!\w)/),
  known("harness", GITLEAKS, ["pat.", "sat."], /[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}(?!\w)/),
  // What watches
  known(
    "grafana",
    SECRETLINT,
    ["glc_", "glsa_"],
    /glc_[A-Za-z0-9+/]{32,400}={0,3}|glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}(?!\w)/,
  ),
  known("grafana", GITLEAKS, ["eyJrIjoi"], /eyJrIjoi[A-Za-z0-9+/]{60,400}={0,3}/),
  known(
    "new-relic",
    GITLEAKS,
    ["NRAK-", "NRII-", "NRIQ-", "NRJS-", "NRAL-", "NRRA-", "NRSP-"],
    /NR(?:AK|II|IQ|JS|AL|RA|SP)-[A-Za-z0-9-]{19,64}/,
  ),
  known("new-relic", "https://docs.newrelic.com", ["FFFFNRAL"], /[0-9a-f]{32}FFFFNRAL(?!\w)/, [32]),
  known(
    "sentry",
    GITLEAKS,
    ["sntrys_", "sntryu_", "sntryi_"],
    /sntry(?:s_[A-Za-z0-9+/=_-]{60,600}|[ui]_[0-9a-f]{64})/,
  ),
  known(
    "datadog",
    "https://docs.datadoghq.com",
    ["ddapi_", "ddapp_", "ddp_"],
    /dd(?:api|app|p)_[A-Za-z0-9]{30,64}(?!\w)/,
  ),
  known("dynatrace", GITLEAKS, ["dt0c01.", "dt0s16."], /dt0[cs]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}(?!\w)/i),
  known(
    "honeycomb",
    "https://docs.honeycomb.io",
    ["hcaik_", "hcalk_", "hcxik_", "hcamk_"],
    /hc[ax][ilm]k_[a-z0-9]{32,70}(?!\w)/i,
  ),
  known("posthog", "https://posthog.com/docs", ["phx_", "phs_"], /ph[xs]_[A-Za-z0-9]{40,64}(?!\w)/),
  known(
    "launchdarkly",
    "https://launchdarkly.com/docs",
    ["api-", "sdk-"],
    /(?:api|sdk)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?!\w|-(?!----))/,
  ),
  known(
    "statsig",
    "https://docs.statsig.com",
    ["secret-", "console-"],
    /(?:secret|console)-[A-Za-z0-9]{40,50}(?!\w)/,
  ),
  // Money
  known(
    "stripe",
    GITLEAKS,
    ["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_", "sk_org_"],
    /[sr]k_(?:live|test|prod|org)_[A-Za-z0-9_]{16,255}|whsec_[A-Za-z0-9+/=]{20,128}/,
  ),
  known(
    "square",
    GITLEAKS,
    ["sq0atp-", "sq0csp-", "sq0idp-", "EAAA"],
    /sq0(?:atp|csp)-[\w-]{22,64}|EAAA[A-Za-z0-9_-]{60}(?!\w|-(?!----))/,
  ),
  known(
    "shopify",
    SECRETLINT,
    ["shpat_", "shpca_", "shppa_", "shpss_", "shpua_"],
    /shp(?:at|ca|pa|ss|ua)_[0-9A-Za-z]{32,64}(?!\w)/,
  ),
  known(
    "braintree",
    "https://developer.paypal.com/braintree/docs",
    ["access_token$"],
    /access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}(?!\w)/,
  ),
  known(
    "plaid",
    GITLEAKS,
    ["access-sandbox-", "access-development-", "access-production-"],
    /access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?!\w)/,
  ),
  known(
    "razorpay",
    "https://razorpay.com/docs",
    ["rzp_live_", "rzp_test_"],
    /rzp_(?:live|test)_[A-Za-z0-9]{14,24}(?!\w)/,
  ),
  known("flutterwave", GITLEAKS, ["FLWSECK"], /FLWSECK(?:_TEST)?-[0-9a-zA-Z]{12,40}(?:-X)?(?!\w)/),
  known("shippo", GITLEAKS, ["shippo_live_", "shippo_test_"], /shippo_(?:live|test)_[0-9a-f]{40}(?!\w)/i),
  known("duffel", GITLEAKS, ["duffel_live_", "duffel_test_"], /duffel_(?:live|test)_[\w=-]{43}/),
  known("easypost", GITLEAKS, ["EZAK", "EZTK"], /EZ[AT]K[A-Za-z0-9]{54}(?!\w)/),
  known("lob", GITLEAKS, ["live_", "test_"], /(?:live|test)_[0-9a-f]{35}(?!\w)/),
  known("gocardless", GITLEAKS, ["live_"], /live_[\w=-]{40}(?![\w=]|-(?!----))/),
  // Words and letters to people
  known(
    "slack",
    SECRETLINT,
    ["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"],
    /xox(?:e\.xox[bp]|[a-eoprs])-[\w%-]{10,400}|xapp-[\w-]{20,255}/,
  ),
  {
    ...known("twilio", GITLEAKS, sixteen("SK"), /SK[0-9a-f]{32}(?!\w)/i),
    unless: /(?:^|[^a-z])sku\W{1,5}$/i,
  },
  known("sendgrid", GITLEAKS, ["SG."], /SG\.[\w-]{16,64}\.[\w-]{16,128}/),
  known("mailgun", GITLEAKS, ["key-"], /key-[0-9a-f]{32}(?!\w)/),
  known(
    "mailchimp",
    GITLEAKS,
    ["-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"],
    /[0-9a-f]{32}-us\d{1,2}(?!\w)/,
    [32],
  ),
  known("brevo", GITLEAKS, ["xkeysib-", "xsmtpsib-"], /x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}(?!\w)/),
  known("resend", "https://resend.com/docs", ["re_"], /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?!\w)/),
  known("postmark", "https://postmarkapp.com/developer", ["PMTK-"], /PMTK-[0-9a-f-]{32,40}/),
  known("telegram", GITLEAKS, [":AA"], /\d{8,10}:AA[\w-]{33}(?!\w|-(?!----))/, [8, 9, 10]),
  known(
    "discord",
    "https://discord.com/developers/docs",
    snowflakes(),
    /[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,45}(?!\w|-(?!----))/,
  ),
  known(
    "hubspot",
    "https://developers.hubspot.com",
    ["pat-na", "pat-eu", "pat-ap"],
    /pat-(?:na|eu|ap)\d-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?!\w)/i,
  ),
  known("intercom", "https://developers.intercom.com", ["dG9rO"], /dG9rO[A-Za-z0-9+/]{30,80}={0,2}/),
  known("facebook", GITLEAKS, ["EAAC", "EAAM", "EAAB", "EAAG"], /EAA[BCGM][A-Za-z0-9]{80,400}(?!\w)/),
  known("dropbox", GITLEAKS, ["sl.u.", "sl.B", "sl.A"], /sl\.(?:u\.[\w=-]{60,1400}|[AB][\w=-]{60,1400})/),
  known("contentful", "https://www.contentful.com/developers/docs", ["CFPAT-"], /CFPAT-[\w-]{43}/),
  known("mapbox", GITLEAKS, ["sk.ey"], /sk\.ey[\w-]{20,200}\.[\w-]{20,40}/),
  known(
    "yandex",
    GITLEAKS,
    ["AQVN", "t1.9"],
    /AQVN[\w-]{35,38}(?!\w)|t1\.9[\w-]{10,200}={0,2}\.[\w-]{86}={0,2}/,
  ),
  known("maxmind", GITLEAKS, ["_mmk"], /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\w)/, [36]),
  known("zapier", "https://docs.zapier.com", ["sk-ak-"], /sk-ak-[\w-]{24,64}/),
  known("ngrok", "https://ngrok.com/docs", ["ngrok_"], /ngrok_[A-Za-z0-9_]{40,64}(?!\w)/),
  known("expo", "https://docs.expo.dev", ["expo_"], /expo_[\w-]{36,64}(?!\w)/),
];

function known(
  kind: string,
  source: string,
  marks: readonly string[],
  shape: RegExp,
  before: readonly number[] = [0],
): Credential {
  return { kind, source, marks, shape: new RegExp(shape.source, `${shape.flags}y`), before };
}

function sixteen(start: string): readonly string[] {
  return "0123456789abcdef".split("").map((digit) => start + digit);
}

/** How the base64 of an id of Discord begins: that of three decimal digits, the first of which is not 0. */
function snowflakes(): readonly string[] {
  const tens = ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"];
  return tens.flatMap((two) => "AEIMQUYcgk".split("").map((third) => two + third));
}

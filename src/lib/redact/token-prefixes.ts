import type { Range } from './ranges.ts'

/** How tokens of services begin that no word begins with. Services choose such beginnings so that leaks can be found. */
const SURE: readonly string[] = [
  // Source code and packages
  'gh[opsur]_|github_pat_|gl(?:pat|ptt|dt|rt|cbt|ft|fft|ffct|imt|agent|oas|soat)-|GR1348941|npm_|pypi-Ag|rubygems_|dckr_(?:pat|oat)_',
  'CLOJARS_|AKCp|cmVmd|sgp_|sq[upa]_|ATATT3|ATCTT3|BBDC-|nfp_|rdme_|tfp_|CCIPAT_|jsr[pd]_',
  // Clouds and infrastructure
  '(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA|ABIA|ACCA|A3T[A-Z0-9])(?=[A-Z0-9]{16})|ABSK|bedrock-api-key-|AIza|ya29\\.|GOCSPX-|1//0|LTAI|do[opr]_v1_',
  'hv[sbr]\\.|dapi(?=[0-9a-f]{16})|dp\\.(?:pt|st|sa|ct|scim|audit)\\.|pul-(?=[0-9a-f]{16})|EZ[AT]K|fo1_|fm[12][ar]?_|HRKU-|tskey-|ops_eyJ|sbp_|sb_secret_',
  'pscale_(?:tkn|oauth|pw)_|AQVN|t1\\.9eu|sha256~|tk-us-|nvapi-|CFPAT-|dnkey-|pnu_|ico-|A3-(?=[A-Z0-9]{6}-)|v1\\.0-(?=[0-9a-f]{24})|4b1d(?=[A-Za-z0-9]{38})',
  'AGE-SECRET-KEY-1|PMAK-|NR(?:AK|II|JS|RA)-|glsa_|glc_|dt0[a-z]\\d\\d\\.|sntry[su]_|ph[cx]_|API-(?=[A-Z0-9]{26})|figd_|figo_|apify_api_',
  // Payment and trade
  '(?:sk|pk|rk)_(?:test|live|prod)_|whsec_|sq0(?:atp|csp|idp)-|EAA[ABCM]|shp(?:at|ca|pa|ss|tka)_|FLW(?:SECK|PUBK)|duffel_(?:test|live)_',
  'shippo_(?:test|live)_|access-(?:sandbox|development|production)-|rzp_(?:test|live)_|SK(?=[0-9a-fA-F]{32})|AC(?=[0-9a-f]{32})|access_token\\$',
  // Messages and mail
  'xox[abeoprs]-|xoxe\\.|xapp-|SG\\.|xkeysib-|xsmtpsib-|ntn_|lin_(?:api|oauth)_|fio-u-|mlsn\\.|(?:pub)?key-(?=[0-9a-f]{32})',
  // Models
  'sk-ant-|sk-(?:proj|svcacct|admin|or-v1)-|hf_|api_org_|r8_|gsk_|xai-|pplx-|tvly-|lsv2_(?:pt|sk)_',
  // JSON Web Tokens inside Base64, and others
  'ZXlK|sm_(?:aat|pat|sat)_|p8e-(?=[0-9a-z]{16})|scauth_|authress_|pat(?=[A-Za-z0-9]{14}\\.[0-9a-f]{32})',
]

/** How tokens begin that words begin with too. */
const POSSIBLE =
  '(?:sk|pk|rk)[-_.]|live_|test_|(?:pat|sat)\\.|secret_|re_|co_|fw_|b_|sl\\.|ext_|sc_|jina_|together_|rnd_|ATBB|oy2|YC|AKID|phpsessid=|csk-|vc[pk]_|scp_|token_|key_|sess_|rt_|at_|pat_|usr_'

/** Each takes linear time: the beginning is fixed, and what follows is bounded and has one way to match. */
const SURE_TOKEN = new RegExp(String.raw`(?<![A-Za-z0-9])(?:${SURE.join('|')})[\w.+/=~-]{8,2000}`, 'g')
const POSSIBLE_TOKEN = new RegExp(String.raw`(?<![A-Za-z0-9])(?:${POSSIBLE})[\w.+/=~-]{10,2000}`, 'g')

/** Shapes that have no beginning of their own. The group `secret` is hidden, or all of it. */
export const TOKEN_SHAPES: readonly RegExp[] = [
  // Terraform, Azure, Telegram, Discord, MaxMind, Facebook, Mailchimp
  /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{20,100}/g,
  /(?<![\w~.])[\w~.]{3}\dQ~[\w~.-]{20,40}/g,
  /(?<!\d)\d{8,10}:[\w-]{35}(?![\w-])/g,
  /(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}/g,
  /(?<!\w)[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk/g,
  /(?<!\d)\d{15,16}(?:\||%(?:7C)?)[\w-]{27,40}/gi,
  /(?<!\w)[0-9a-f]{32}-us\d{1,2}(?!\d)/g,
  // Vault, and JSON Web Tokens whose first part was written with blanks
  /(?<![\w.])s\.[A-Za-z0-9]{24}(?!\w)/g,
  /(?<![\w-])ey[\w-]{15,4096}\.ey[\w\\/-]{15,8192}\.?[\w\\/=-]{0,2048}/g,
  // Addresses that let everybody write who knows them
  /(?:hooks\.slack\.com|discord(?:app)?\.com\/api|webhook\.office\.com|chat\.googleapis\.com)\/(?<secret>[\w/@+.-]{20,300})/gi,
]

/** Finds tokens by how they begin. A word, such as `key_value_store`, is none: a token has digits and letters. */
export function findPrefixedTokens(text: string): Range[] {
  const possible = [...text.matchAll(POSSIBLE_TOKEN)].filter(([token]) => isToken(token))
  return [...text.matchAll(SURE_TOKEN), ...possible].map(({ index, 0: token }) => [index, index + token.length])
}

/** Names in programs have few digits, and paths have slashes. */
function isToken(token: string): boolean {
  if (token.includes('/')) return false
  const digits = token.match(/\d/g)?.length ?? 0
  if (digits >= 3) return true
  return digits >= 1 && /[a-z]/.test(token) && /[A-Z]/.test(token) && token.length >= 20
}

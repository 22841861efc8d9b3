export const API_AUDIENCE = 'https://kubernetes.default.svc.cluster.local'

export type ServiceAccount = {
  namespace: string
  name: string
  uid: string
  annotations: Record<string, string> | undefined
}

export type ServiceAccountClaims = {
  aud: string[]
  exp: number
  iat: number
  iss: string
  jti: string
  'kubernetes.io': {
    namespace: string
    serviceaccount: { name: string; uid: string }
    pod?: { name: string; uid: string }
    node?: { name: string }
  }
  nbf: number
  sub: string
}

type ReviewState = { accounts: ReadonlyMap<string, ServiceAccount>; now: Date; sign: (text: string) => string }

/** Returns the status of a review as a real API server does: a refusal has no field `authenticated`. */
export function reviewOf(token: string, asked: string[] | undefined, cluster: ReviewState): Record<string, unknown> {
  const targets = asked?.length ? asked : [API_AUDIENCE]
  const claims = read(token, cluster.sign)
  if (!claims) return refusal('invalid bearer token')
  const audiences = claims.aud.filter((audience) => targets.includes(audience))
  if (audiences.length === 0) {
    const [actual, expected] = [JSON.stringify(claims.aud), JSON.stringify(targets)]
    return refusal(`token audiences ${actual} is invalid for the target audiences ${expected}`)
  }
  if (claims.exp * 1000 <= cluster.now.getTime()) return refusal('service account token has expired')
  const { namespace, serviceaccount } = claims['kubernetes.io']
  const account = cluster.accounts.get(`${namespace}/${serviceaccount.name}`)
  if (!account) return refusal(`serviceaccounts "${serviceaccount.name}" not found`)
  if (account.uid !== serviceaccount.uid) {
    return refusal(`service account UID (${account.uid}) does not match claim (${serviceaccount.uid})`)
  }
  return { authenticated: true, user: userOf(claims), audiences }
}

function userOf(claims: ServiceAccountClaims) {
  const { namespace, serviceaccount, pod, node } = claims['kubernetes.io']
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated']
  const extra = {
    'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`],
    ...(node && { 'authentication.kubernetes.io/node-name': [node.name] }),
    ...(pod && {
      'authentication.kubernetes.io/pod-name': [pod.name],
      'authentication.kubernetes.io/pod-uid': [pod.uid],
    }),
  }
  return { username: claims.sub, uid: serviceaccount.uid, groups, extra }
}

function refusal(error: string) {
  return { user: {}, error: `[invalid bearer token, ${error}]` }
}

function read(token: string, sign: (text: string) => string): ServiceAccountClaims | undefined {
  const [header, claims, signature] = token.split('.')
  if (!claims || signature !== sign(`${header}.${claims}`)) return undefined
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as ServiceAccountClaims
}

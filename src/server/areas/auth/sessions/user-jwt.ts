import { errors, jwtVerify, SignJWT } from 'jose'
import type { AuthDeps } from '../model/deps.ts'

const USER_JWT_SECONDS = 15 * 60
/** The JWT `typ` of user tokens, so that no other JWT made with our secrets is accepted as one. */
export const USER_JWT_TYPE = 'user+jwt'
const ISSUER = 'svc'

/** Signs a short-lived token for API calls in place of a session cookie. It is refused once the session has ended. */
export async function signUserJwt(
  { keys, clock }: Pick<AuthDeps, 'keys' | 'clock'>,
  sessionId: string,
  userId: string,
) {
  const issued = Math.floor(clock.now().getTime() / 1000)
  const token = await new SignJWT({ sid: sessionId })
    .setProtectedHeader({ alg: 'HS256', typ: USER_JWT_TYPE })
    .setSubject(userId)
    .setIssuer(ISSUER)
    .setAudience(ISSUER)
    .setIssuedAt(issued)
    .setExpirationTime(issued + USER_JWT_SECONDS)
    .sign(keys.userJwt)
  return { token, expires_at: new Date((issued + USER_JWT_SECONDS) * 1000) }
}

/** Returns the session and user of a token, or undefined if it is not a valid, unexpired user token of ours. */
export async function readUserJwt({ keys, clock }: Pick<AuthDeps, 'keys' | 'clock'>, token: string) {
  try {
    const { payload } = await jwtVerify(token, keys.userJwt, {
      algorithms: ['HS256'],
      typ: USER_JWT_TYPE,
      issuer: ISSUER,
      audience: ISSUER,
      requiredClaims: ['sub', 'sid', 'exp'],
      currentDate: clock.now(),
    })
    return { sessionId: String(payload.sid), userId: payload.sub!, expiresAt: new Date(payload.exp! * 1000) }
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

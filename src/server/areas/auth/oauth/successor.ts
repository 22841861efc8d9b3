import { Provider } from 'oidc-provider'
import type { AuthKeys } from '../model/deps.ts'

/** A part of the models of oidc-provider that its types leave out. */
type TokenModel = { generateTokenId: (this: TokenModel) => string }

/**
 * Makes the library derive the successor of a refresh token from it, under a key of ours. A client that repeats a
 * refresh then gets the same successor, and no token has to be stored for that.
 */
export function deriveSuccessors({ RefreshToken }: Provider, keys: AuthKeys): void {
  const model = RefreshToken.prototype as unknown as TokenModel
  const random = model.generateTokenId
  model.generateTokenId = function generateTokenId() {
    const former = Provider.ctx?.oidc.entities.RotatedRefreshToken
    return former ? successorOf(keys, former.jti) : random.call(this)
  }
}

export function successorOf(keys: AuthKeys, refreshToken: string): string {
  return keys.hash('successor', refreshToken).toString('base64url')
}

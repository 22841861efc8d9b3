import { deriveKey, equalSecrets, hmac } from '#lib/crypto/keys.ts'

/** The run that a token stands for. The fence names one claim of it, so a later claim has another token. */
export type RunClaim = { readonly id: string; readonly fence: number }

export type RunTokens = {
  mint(claim: RunClaim): string
  /** Returns undefined for anything that was not minted here. Whether the claim still stands is not known from it. */
  read(token: string): RunClaim | undefined
}

const PREFIX = 'svcrun'

/** Makes the tokens with which runs call their tools. A token carries no rights of a person, and none without the claim. */
export function createRunTokens(internalSecret: string): RunTokens {
  const key = deriveKey(Buffer.from(internalSecret, 'hex'), 'maintenance-run')
  const macOf = (head: string) => hmac(key, head).toString('base64url')
  return {
    mint({ id, fence }) {
      const head = `${PREFIX}.${id}.${fence}`
      return `${head}.${macOf(head)}`
    },
    read(token) {
      const [prefix, id, fence, mac] = token.split('.')
      if (prefix !== PREFIX || !id || !fence || !mac) return undefined
      return equalSecrets(mac, macOf(`${prefix}.${id}.${fence}`)) ? { id, fence: Number(fence) } : undefined
    },
  }
}

export function isRunToken(token: string): boolean {
  return token.startsWith(`${PREFIX}.`)
}

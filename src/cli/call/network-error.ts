import type { ServiceError } from '#contract/core/errors.ts'
import { HintedError } from '../command/hinted-error.ts'

type Explanation = { detail: (apiUrl: string, code: string) => string; hint: string }

const NAME_UNKNOWN: Explanation = {
  detail: (apiUrl, code) => `This machine cannot resolve the host name of ${apiUrl} (${code}).`,
  hint: 'Check the address, and the network and DNS of this machine.',
}
const NO_ROUTE: Explanation = {
  detail: (apiUrl, code) => `This machine has no connection to the network of ${apiUrl} (${code}).`,
  hint: 'Check the network of this machine, such as Wi-Fi, VPN and firewall.',
}
const NO_SOCKET: Explanation = {
  detail: (apiUrl, code) => `This machine could not open a connection to ${apiUrl} (${code}).`,
  hint: 'Check the limits and the firewall of this machine.',
}
const UNTRUSTED: Explanation = {
  detail: (apiUrl, code) => `This machine does not trust the certificate of ${apiUrl} (${code}).`,
  hint: 'If your company has its own certificate authority, set NODE_EXTRA_CA_CERTS to the file with its certificate.',
}
const OTHER_HOST: Explanation = {
  detail: (apiUrl, code) => `The certificate at ${apiUrl} is for another host name (${code}).`,
  hint: 'Check the address.',
}

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  ENOTFOUND: NAME_UNKNOWN,
  EAI_AGAIN: NAME_UNKNOWN,
  ENETUNREACH: NO_ROUTE,
  ENETDOWN: NO_ROUTE,
  EHOSTUNREACH: NO_ROUTE,
  EADDRNOTAVAIL: NO_ROUTE,
  EACCES: NO_SOCKET,
  EPERM: NO_SOCKET,
  EMFILE: NO_SOCKET,
  ENFILE: NO_SOCKET,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: OTHER_HOST,
}

/** Hints for an address that does not answer: that of the instance, or one that was typed for this command. */
const UNREACHABLE = {
  instance: (program: string) => `Check the address with ${program} status, then try again.`,
  typed: 'Check the address, and that a program listens there, then try again.',
} as const

export type AddressOf = keyof typeof UNREACHABLE

/** Explains why `fetch` failed, because its own message `fetch failed` does not. Says if the cause is this machine. */
export function networkError(apiUrl: string, error: unknown, of: AddressOf = 'instance'): ServiceError {
  const code = codeOf(error)
  const explanation = code === undefined ? undefined : EXPLANATIONS[code]
  if (explanation) return new HintedError('UNAVAILABLE', explanation.detail(apiUrl, code!), explanation.hint, error)
  const reason = code === undefined ? '' : ` (${code})`
  const detail = `Cannot reach ${apiUrl}${reason}. Check that it is running.`
  return new HintedError('UNAVAILABLE', detail, UNREACHABLE[of], error)
}

/** Returns the code of the system's or of OpenSSL's error, such as ECONNREFUSED. */
function codeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined
  return typeof cause?.code === 'string' ? cause.code : undefined
}

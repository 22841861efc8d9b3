const FAILURES = [
  /\bE(?:NETUNREACH|NETDOWN|AI_AGAIN|AI_FAIL|NOTFOUND|HOSTUNREACH)\b/,
  /\bNetwork is unreachable\b/i,
  /\b(?:Temporary failure in name resolution|Name or service not known|Could not resolve host)\b/i,
  /\bgetaddrinfo\b/,
]

/** Whether a program that failed wrote that it could not reach the network, or find a host there. */
export function mentionsNetwork(output: string): boolean {
  return FAILURES.some((failure) => failure.test(output))
}

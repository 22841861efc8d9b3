import { readFileSync } from 'node:fs'
import { isThisMachine } from '#lib/net/address/loopback.ts'
import { CLIENT, shortPath } from './next-steps.ts'

/**
 * Returns the line of the start that says how to sign in. The code stands in the fragment of the link, which browsers do
 * not send to servers, so that it gets into no log; the console posts it. Local sign-in answers on loopback names only.
 */
export function signInLine(url: string, codeFile: string): string {
  if (!isThisMachine(new URL(url).hostname)) {
    return `sign in on this machine at /auth/local with the code in ${shortPath(codeFile)}`
  }
  const code = readFileSync(codeFile, 'utf8').trim()
  return (
    `open ${url}/#sign-in=${code} to sign in (works once, for 15 minutes; ${CLIENT} console prints another link; ` +
    `the code is in ${shortPath(codeFile)})`
  )
}

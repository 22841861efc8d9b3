import { randomBytes } from 'node:crypto'
import { readCookie } from '#edge/credentials/cookies.ts'
import { equalSecrets } from '#lib/crypto/keys.ts'
import { CannotOpen } from '#lib/crypto/seal.ts'
import type { HostedDeps } from './deps.ts'

const FLOW_SECONDS = 600
const SEAL_CONTEXT = 'hosted-sign-in'

type Flow = { state: string; return_to: string; until: number }
type Deps = Pick<HostedDeps, 'cookies' | 'sealer' | 'clock'>

/** Starts a sign-in. Its state is stored sealed in a cookie, so a code that returns to another browser is refused. */
export function beginFlow({ cookies, sealer, clock }: Deps, returnTo: string): { state: string; cookie: string } {
  const state = randomBytes(32).toString('base64url')
  const flow: Flow = { state, return_to: returnTo, until: clock.now().getTime() + FLOW_SECONDS * 1000 }
  return { state, cookie: cookies.set('flow', sealer.seal(JSON.stringify(flow), SEAL_CONTEXT), FLOW_SECONDS) }
}

/** Returns undefined when the sign-in was started in another browser or took too long. */
export function findFlow(deps: Deps, request: Request, state: string): Flow | undefined {
  const sealed = readCookie(request, [deps.cookies.flow])
  const flow = sealed === undefined ? undefined : open(deps, sealed)
  return flow && equalSecrets(flow.state, state) && flow.until > deps.clock.now().getTime() ? flow : undefined
}

function open({ sealer }: Deps, sealed: string): Flow | undefined {
  try {
    return JSON.parse(sealer.open(sealed, SEAL_CONTEXT)) as Flow
  } catch (error) {
    if (error instanceof CannotOpen) return undefined
    throw error
  }
}

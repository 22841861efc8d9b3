import * as z from 'zod'
import { HOP_HEADER, type Hops } from '#edge/credentials/hop.ts'
import { newId } from '#edge/ids.ts'
import type { AppAddress } from '../areas/apps/index.ts'

/** Where the worker says at which port its apps answer. */
export const WORKER_DOOR_PATH = '/.svc/app-door'
const KNOWN_MS = 2_000
const LIMIT_MS = 5_000

type Deps = {
  readonly workerUrl: () => string | undefined
  readonly send: (request: Request) => Promise<Response>
  readonly hops: Hops
  readonly nowMs?: () => number
}

/** Finds the port of apps at the worker: the same host as in its address, and the port that the worker names. */
export function createWorkerDoorFinder({ workerUrl, send, hops, nowMs = () => performance.now() }: Deps) {
  let cachedLookup: { readonly until: number; readonly address: Promise<AppAddress> } | undefined
  return async (): Promise<AppAddress | undefined> => {
    const base = workerUrl()
    if (base === undefined) return undefined
    if (!cachedLookup || cachedLookup.until <= nowMs())
      cachedLookup = { until: nowMs() + KNOWN_MS, address: ask(base, { send, hops }) }
    const { address } = cachedLookup
    address.catch(() => {
      if (cachedLookup?.address === address) cachedLookup = undefined
    })
    return address
  }
}

const answered = z.object({ port: z.int().min(1).max(65_535) })

async function ask(base: string, { send, hops }: Pick<Deps, 'send' | 'hops'>): Promise<AppAddress> {
  const url = `${base.replace(/\/$/, '')}${WORKER_DOOR_PATH}`
  const info = { clientAddress: '127.0.0.1', requestId: newId('req'), via: 'api', direct: false } as const
  const headers = { [HOP_HEADER]: hops.sign('GET', url, info) }
  const response = await send(new Request(url, { headers, signal: AbortSignal.timeout(LIMIT_MS) }))
  if (!response.ok) throw new Error(`the worker answers ${response.status}`)
  const { port } = answered.parse(await response.json())
  return { host: new URL(base).hostname.replace(/^\[|\]$/g, ''), port }
}

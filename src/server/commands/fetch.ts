import { setTimeout as delay } from 'node:timers/promises'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { fetchRevision } from '../areas/apps/index.ts'

type Request = { readonly apiUrl: string; readonly revisionId: string; readonly folder: string }

/** Where the kubelet writes the token of a pod that the target `kubernetes` makes. */
const TOKEN_FILE = '/var/run/secrets/svc/token'

/** Fetches the revision of the app whose pod this is. The address comes from the operator, by way of the manifest. */
export async function runFetch(request: Request, print: (line: string) => void): Promise<void> {
  await using send = createOperatorFetch()
  await fetchRevision({ ...request, tokenFile: TOKEN_FILE, send, delay, print })
}

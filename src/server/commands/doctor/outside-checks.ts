import { statfs } from 'node:fs/promises'
import { CannotWrite, checkWritable } from '#lib/files/data-folder.ts'
import { readRedisMemory } from '#lib/kv/redis-memory.ts'
import type { OperatorFetch } from '#lib/net/operator-fetch.ts'
import type { Settings } from '../../config/config.ts'
import { findLeftovers } from '../../process/leftovers.ts'
import { type DoctorCheck, type Finding, type Findings, messageOf, notSetUp, problem, warning } from './report.ts'

type Send = OperatorFetch
type SettingsOf = () => Settings

/** Checks of everything beside the database: this machine, Redis, and the addresses that the settings name. */
export function outsideChecks(settingsOf: SettingsOf, send: Send): DoctorCheck[] {
  return [
    { name: 'disk', look: async () => findDiskFaults(settingsOf()) },
    { name: 'removed data', look: async () => findUndeleted(settingsOf()) },
    { name: 'redis', look: async () => findRedisFaults(settingsOf()) },
    { name: 'identity providers', look: async () => findDiscoveryFaults(settingsOf(), send) },
    { name: 'auth service', look: async () => findAuthFaults(settingsOf(), send) },
    { name: 'public address', look: async () => findAddressFaults(settingsOf(), send) },
    { name: 'AI providers', look: async () => findModelFaults(settingsOf(), send) },
  ]
}

const LOW_DISK_BYTES = 1024 ** 3

async function findDiskFaults({ dataDir, databaseUrl }: Settings): Promise<Finding[]> {
  if (databaseUrl !== undefined) return []
  try {
    await checkWritable(dataDir)
  } catch (error) {
    if (!(error instanceof CannotWrite)) throw error
    return [problem(`The data folder cannot be written to: ${error.message}.`, 'Free space, or correct its rights.')]
  }
  const { bavail, bsize } = await statfs(dataDir)
  if (bavail * bsize >= LOW_DISK_BYTES) return []
  const free = Math.floor((bavail * bsize) / 1024 ** 2)
  return [warning(`The disk of the data folder has ${free} MiB free.`, 'Free space before it is full.')]
}

/** Finds dropped data that is still readable on the disk because a process was killed while it deleted it. */
function findUndeleted({ dataDir }: Settings): Finding[] {
  return findLeftovers(dataDir).map((folder) =>
    warning(
      `${folder} holds data that was being removed when svc was killed.`,
      'Start svc, which deletes it. If svc runs, see its log for why the folder cannot be deleted.',
    ),
  )
}

async function findRedisFaults({ redisUrl }: Settings): Promise<Findings> {
  if (redisUrl === undefined) {
    return notSetUp(
      'No Redis is used: limits are counted in the process, which is enough for one process.',
      'Set REDIS_URL before you start a second process.',
    )
  }
  try {
    const { limitBytes, policy } = await readRedisMemory(redisUrl)
    if (policy === 'noeviction' || limitBytes === 0) return []
    return problem(
      `Redis drops keys when its memory is full (maxmemory-policy ${policy}), so that a token that is good once could be used twice.`,
      'Set maxmemory-policy to noeviction, or use a Redis of its own for svc.',
    )
  } catch (error) {
    return problem(
      `Redis does not answer: ${messageOf(error)}. Limits are counted per process, and agents get 503.`,
      'Check REDIS_URL, and that Redis runs and accepts the password.',
    )
  }
}

async function findDiscoveryFaults({ signIn, services }: Settings, send: Send): Promise<Findings | undefined> {
  if (!services.includes('auth-service')) return undefined
  const issuers = [
    ...(signIn.google ? [['Google', 'https://accounts.google.com'] as const] : []),
    ...(signIn.microsoft
      ? [['Microsoft', `https://login.microsoftonline.com/${signIn.microsoft.tenantId}/v2.0`] as const]
      : []),
    ...(signIn.oidc ? [[signIn.oidc.label, signIn.oidc.issuer] as const] : []),
  ]
  if (issuers.length === 0) {
    return notSetUp('No identity provider is configured.', 'The check sign-in says how people sign in.')
  }
  const found = await Promise.all(
    issuers.map(async ([label, issuer]) => {
      const fault = await faultAt(send, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
      return fault === undefined
        ? []
        : problem(
            `The identity provider ${label} cannot be used: ${issuer} ${fault}.`,
            'Check the issuer or tenant, and that auth-service may connect to it.',
          )
    }),
  )
  return found.flat()
}

async function findAuthFaults({ urls }: Settings, send: Send): Promise<Findings | undefined> {
  const url = urls['auth-service']
  if (url === undefined) return undefined
  const fault = await faultAt(send, `${url.replace(/\/$/, '')}/healthz`)
  if (fault === undefined) return []
  return problem(
    `The auth service at ${url} ${fault}, so no token can be checked.`,
    'Check AUTH_SERVICE_URL and the network.',
  )
}

/** Compares what answers at the public address with what svc answers there. */
async function findAddressFaults({ signIn }: Settings, send: Send): Promise<Findings> {
  const base = signIn.redirectBaseUrl
  if (base === undefined) {
    return notSetUp(
      'No public address is set, so links have the address at which the server listens.',
      'Set SVC_REDIRECT_BASE_URL to the https address that people use.',
    )
  }
  const action = 'Check SVC_REDIRECT_BASE_URL, DNS and the proxy in front of api-gateway.'
  let response: Response
  try {
    response = await send(new Request(`${base}/healthz`))
  } catch (error) {
    return [warning(`${base} cannot be reached from here: ${messageOf(error)}.`, action)]
  }
  const body: unknown = await response.json().catch(() => undefined)
  const services = (body as { services?: unknown } | undefined)?.services
  if (response.ok && Array.isArray(services) && services.includes('api-gateway')) return []
  return problem(
    `${base} is not the api-gateway of svc: /healthz is answered with ${response.status} by another server.`,
    action,
  )
}

async function findModelFaults({ ai, services }: Settings, send: Send): Promise<Findings | undefined> {
  if (!services.includes('api-gateway') && !services.includes('worker')) return undefined
  if (ai.providers.length === 0) {
    return notSetUp(
      'No AI provider is configured. The built-in model makes embeddings; chat models need a provider.',
      'Name one in SVC_AI_PROVIDERS.',
    )
  }
  const found = await Promise.all(
    ai.providers.map(async ({ name, baseUrl, apiKey, kind }) => {
      const headers = new Headers()
      if (apiKey && kind === 'openai') headers.set('authorization', `Bearer ${apiKey}`)
      if (apiKey && kind === 'anthropic') headers.set('x-api-key', apiKey)
      if (kind === 'anthropic') headers.set('anthropic-version', '2023-06-01')
      const fault = await faultAt(send, `${baseUrl}/models`, headers, isModelFault)
      return fault === undefined
        ? []
        : problem(
            `The AI provider ${name} cannot be used: ${baseUrl} ${fault}.`,
            'Check base_url and api_key of this provider in SVC_AI_PROVIDERS.',
          )
    }),
  )
  return found.flat()
}

/** Not every model server lists its models, so only a refused key and an error of the server count. */
const isModelFault = (status: number) => status === 401 || status === 403 || status >= 500

async function faultAt(
  send: Send,
  url: string,
  headers = new Headers(),
  isFault = (status: number) => status >= 400,
): Promise<string | undefined> {
  try {
    const { status, body } = await send(new Request(url, { headers }))
    await body?.cancel()
    return isFault(status) ? `answers ${status}` : undefined
  } catch (error) {
    return `does not answer: ${messageOf(error)}`
  }
}

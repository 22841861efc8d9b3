import { ServiceError } from '#contract/core/errors.ts'
import type { Config } from './config.ts'
import { type Login, noContext, readContexts } from './contexts.ts'
import { findEmbedded } from './embedded.ts'
import { HintedError } from './hinted-error.ts'

/** Null names the environment. */
export type ActiveLogin = Login & { context: string | null }

/**
 * Whom a command speaks as: the context it was told, else the environment, else the current context. Undefined when
 * nobody is logged in.
 */
export async function findLogin(config: Config, told?: string): Promise<ActiveLogin | undefined> {
  if (told === undefined && (config.apiUrl !== undefined || config.apiKey !== undefined)) return fromEnvironment(config)
  const { current, contexts } = await readContexts(config.contextsFile)
  const name = told ?? config.context ?? current
  if (name === null) return undefined
  if (Object.hasOwn(contexts, name)) return { context: name, ...contexts[name]! }
  if (name === current) return undefined
  throw noContext(name)
}

export async function requireLogin(config: Config, told?: string): Promise<ActiveLogin> {
  const login = await findLogin(config, told)
  if (!login) throw await notLoggedIn(config)
  return login
}

/** Names the login command that works in this folder: the instance that runs here needs no address and no key. */
export async function notLoggedIn({ dataDir, program }: Config): Promise<ServiceError> {
  const isInstanceHere = (await findEmbedded(dataDir).catch(() => undefined)) !== undefined
  const options = isInstanceHere ? '' : ' --api-url <url> --api-key-stdin'
  return new HintedError('INVALID_TOKEN', 'you are not logged in', `Log in: ${program} login${options}`)
}

/** Never half from here and half from a context: the key of one instance would go to another. */
function fromEnvironment({ apiUrl, apiKey }: Config): ActiveLogin {
  if (apiUrl === undefined || apiKey === undefined) {
    const missing = apiUrl === undefined ? 'SVC_API_URL' : 'SVC_API_KEY'
    throw new ServiceError('INVALID_REQUEST', `SVC_API_URL and SVC_API_KEY go together: ${missing} is not set`)
  }
  return { context: null, api_url: parseApiUrl(apiUrl), api_key: parseApiKey(apiKey) }
}

export function parseApiUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new ServiceError('INVALID_REQUEST', 'the API URL must look like https://svc.example.com')
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new ServiceError('INVALID_REQUEST', 'the API URL is an address only: no user, query or fragment')
  }
  return url.href.replace(/\/+$/, '')
}

/** Checked here, because a header that cannot be sent would be quoted in the error, key and all. */
export function parseApiKey(text: string): string {
  const key = text.trim()
  if (key === '') throw new ServiceError('INVALID_REQUEST', 'the API key is empty')
  if (!/^[\x21-\x7e]+$/.test(key)) throw new ServiceError('INVALID_REQUEST', 'the API key holds characters no key has')
  return key
}

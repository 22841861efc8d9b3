import type { ServiceError } from '#contract/core/errors.ts'
import type { Config } from '../command/config.ts'
import { HintedError, usageError } from '../command/hinted-error.ts'
import { type Login, noContext, readContexts } from './contexts.ts'
import { findEmbedded } from './embedded.ts'

/** A login with its context name. The name is null if the login comes from the environment. */
export type ActiveLogin = Login & { context: string | null }

/** Returns the login from `contextName`, else from the environment, else from the current context, else undefined. */
export async function findLogin(config: Config, contextName?: string): Promise<ActiveLogin | undefined> {
  const isInEnvironment = config.apiUrl !== undefined || config.apiKey !== undefined
  if (contextName === undefined && isInEnvironment) return fromEnvironment(config)
  const saved = await readContexts(config.contextsFile)
  const { current, contexts } = saved
  const name = contextName ?? config.context ?? current
  if (name === null) return undefined
  if (Object.hasOwn(contexts, name)) return { context: name, ...contexts[name]! }
  if (name === current) return undefined
  throw noContext(name, saved, config)
}

export async function requireLogin(config: Config, contextName?: string): Promise<ActiveLogin> {
  const login = await findLogin(config, contextName)
  if (!login) throw await notLoggedIn(config)
  return login
}

/** Makes the error with the login command that works here. For an instance in this folder it needs no options. */
export async function notLoggedIn({ dataDir, program }: Config): Promise<ServiceError> {
  const isInstanceHere = (await findEmbedded(dataDir).catch(() => undefined)) !== undefined
  const options = isInstanceHere ? '' : ' --api-url <url> --api-key-stdin'
  return new HintedError('INVALID_TOKEN', 'You are not logged in.', `Log in: ${program} login${options}`)
}

/** Requires both variables. Mixing one with a context would send the key of one instance to another. */
function fromEnvironment({ apiUrl, apiKey }: Config): ActiveLogin {
  if (apiUrl === undefined || apiKey === undefined) {
    const missing = apiUrl === undefined ? 'SVC_API_URL' : 'SVC_API_KEY'
    const detail = `SVC_API_URL and SVC_API_KEY must be set together. ${missing} is not set.`
    throw new HintedError('INVALID_REQUEST', detail, undefined)
  }
  return { context: null, api_url: parseApiUrl(apiUrl), api_key: parseApiKey(apiKey) }
}

export function parseApiUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw usageError('The API URL must look like https://svc.example.com.')
  }
  if (url.username || url.password || url.search || url.hash) {
    throw usageError('The API URL must not contain a user, a query or a fragment.')
  }
  return url.href.replace(/\/+$/, '')
}

/** Refuses keys that cannot be sent in a header, because the error of `fetch` would quote the key. */
export function parseApiKey(text: string): string {
  const key = text.trim()
  if (key === '') throw usageError('The API key is empty.')
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw usageError('The API key contains characters that no API key has. Check that you copied it correctly.')
  }
  return key
}

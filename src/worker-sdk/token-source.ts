import { readFile } from 'node:fs/promises'
import { type Environment, readConfig } from './config.ts'

/** Returns the token to send with the next call. */
export type TokenSource = () => Promise<string>

type Options = { env?: Environment; readFile?: (path: string) => Promise<string> }

/** Prefers SERVER_API_TOKEN. Otherwise reads the projected file at each use, because the kubelet replaces it. */
export function createTokenSource({ env, readFile: read = readText }: Options = {}): TokenSource {
  const { apiToken, tokenFile } = readConfig(env)
  if (apiToken !== undefined) return async () => apiToken
  return async () => {
    const token = await read(tokenFile).catch((cause: unknown) => {
      throw noToken(`${tokenFile} cannot be read`, cause)
    })
    if (token.trim() === '') throw noToken(`${tokenFile} is empty`)
    return token.trim()
  }
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8')
}

function noToken(why: string, cause?: unknown): Error {
  const advice = 'Set SERVER_API_TOKEN to an API token, or deploy with workload identity, which writes the token file.'
  return new Error(`No token to authenticate with: ${why}. ${advice}`, { cause })
}

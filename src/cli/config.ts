import { homedir } from 'node:os'
import { join } from 'node:path'

export type Config = Readonly<{
  contextsFile: string
  /** Together they stand in for a context. */
  apiUrl: string | undefined
  apiKey: string | undefined
  noColor: boolean
}>

type Env = Readonly<Record<string, string | undefined>>

/** The client's only reader of the environment. An empty variable counts as not set. */
export function readConfig(env: Env = process.env, home: string = homedir()): Config {
  const folder = env.SVC_CONFIG_DIR || env.XDG_CONFIG_HOME || join(home, '.config')
  return Object.freeze({
    contextsFile: join(folder, 'svc', 'contexts.json'),
    apiUrl: env.SVC_API_URL || undefined,
    apiKey: env.SVC_API_KEY || undefined,
    noColor: Boolean(env.NO_COLOR),
  })
}

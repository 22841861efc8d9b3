import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

export type Config = ReturnType<typeof readConfig>

type System = { home: string; platform: NodeJS.Platform; folder: string }

/** Reads the environment, which no other file of the client does. An empty variable counts as not set. */
export function readConfig(env: Env = process.env, system: System = thisSystem()) {
  return Object.freeze({
    contextsFile: join(configFolder(env, system), 'svc', 'contexts.json'),
    /** `apiUrl` and `apiKey` together replace a context. */
    apiUrl: env.SVC_API_URL || undefined,
    apiKey: env.SVC_API_KEY || undefined,
    /** Replaces the current context. */
    context: env.SVC_CONTEXT || undefined,
    /** URL of a webhook, from which its signing key is made. Secret. */
    webhookUrl: env.SVC_WEBHOOK_URL || undefined,
    /** Signing secret of a webhook for Standard Webhooks. */
    webhookSecret: env.SVC_WEBHOOK_SECRET || undefined,
    /** Data folder of the instance in this folder. It may not exist. */
    dataDir: resolve(system.folder, env.SVC_DATA_DIR || '.svc'),
    /** The command people type to run the client: `npx svc` in a checkout, where npm sets this variable, else `svc`. */
    program: env.npm_command === 'exec' ? 'npx svc' : 'svc',
    noColor: Boolean(env.NO_COLOR),
    /** The terminal cannot move its cursor, so no spinner is shown. */
    dumbTerminal: env.TERM === 'dumb',
    /** Command that opens an address in a browser. Undefined if there is no browser on this machine's screen. */
    browser: browserOf(env, system.platform),
    /** Shell command that shows long output. Undefined for `less`. */
    pager: env.PAGER || undefined,
    /** Variables for programs that the client starts. */
    environment: env,
  })
}

function thisSystem(): System {
  return { home: homedir(), platform: process.platform, folder: process.cwd() }
}

function configFolder(env: Env, { home, platform }: System): string {
  if (env.SVC_CONFIG_DIR) return env.SVC_CONFIG_DIR
  if (platform === 'win32' && env.APPDATA) return env.APPDATA
  return env.XDG_CONFIG_HOME || join(home, '.config')
}

/** Returns undefined over SSH, because the browser would open on the remote machine. */
function browserOf(env: Env, platform: NodeJS.Platform): readonly string[] | undefined {
  if (env.BROWSER) return [env.BROWSER]
  if (env.SSH_CONNECTION) return undefined
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined
}

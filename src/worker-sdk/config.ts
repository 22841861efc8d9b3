export type Environment = Readonly<Record<string, string | undefined>>

type WorkerConfig = Readonly<{
  apiUrl: string | undefined
  /** Alias of the app that the worker serves. */
  app: string | undefined
  /** A personal API token, for workers outside the cluster. */
  apiToken: string | undefined
  /** File that the cluster keeps filled with a current token of the deployment. */
  tokenFile: string
}>

/** Reads the environment, which no other file of the SDK does. An empty variable counts as not set. */
export function readConfig(env: Environment = process.env): WorkerConfig {
  const text = (name: string) => env[name]?.trim() || undefined
  return Object.freeze({
    apiUrl: text('SVC_API_URL'),
    app: text('SVC_APP'),
    apiToken: text('SERVER_API_TOKEN'),
    tokenFile: text('SVC_WORKLOAD_TOKEN_FILE') ?? '/var/run/secrets/svc/token',
  })
}

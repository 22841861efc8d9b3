export type Environment = Readonly<Record<string, string | undefined>>

/** Reads the environment, which no other file of the SDK does. An empty variable counts as not set. */
export function readConfig(env: Environment = process.env) {
  const text = (name: string) => env[name]?.trim() || undefined
  return Object.freeze({
    apiUrl: text('SVC_API_URL'),
    /** Alias of the app that the worker serves. */
    app: text('SVC_APP'),
    /** A personal API token, for workers outside the cluster. */
    apiToken: text('SERVER_API_TOKEN'),
    /** File that the cluster keeps filled with a current token of the deployment. */
    tokenFile: text('SVC_WORKLOAD_TOKEN_FILE') ?? '/var/run/secrets/svc/token',
  })
}

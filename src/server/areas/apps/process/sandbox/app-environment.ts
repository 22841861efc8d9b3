/** The environment variables that svc gives an app or a build. Nothing of svc's own environment is passed on. */
type Surroundings = {
  readonly path: string
  readonly home: string
  readonly scratch: string
  /** Address of the proxy for outgoing connections. Undefined: connections are not restricted. */
  readonly proxy: string | undefined
  /** Address of svc's API as the app reaches it. */
  readonly apiUrl: string | undefined
  /** File with the token of a live instance. Undefined: it has none. */
  readonly tokenFile: string | undefined
}

/**
 * Returns the environment of an app. The app's own variables win over PATH and LANG, and over nothing that would keep
 * it from working in its sandbox.
 */
export function appEnvironment(
  variables: Readonly<Record<string, string>>,
  { path, home, scratch, proxy, apiUrl, tokenFile }: Surroundings,
): Record<string, string> {
  return {
    PATH: path,
    LANG: 'C.UTF-8',
    NODE_ENV: 'production',
    ...(apiUrl !== undefined && { SVC_API_URL: apiUrl }),
    ...(tokenFile !== undefined && { SVC_WORKLOAD_TOKEN_FILE: tokenFile }),
    ...variables,
    HOME: home,
    TMPDIR: scratch,
    ...(proxy !== undefined && proxyVariables(proxy)),
  }
}

/** Programs read these in upper or lower case. Node does only with NODE_USE_ENV_PROXY. */
function proxyVariables(proxy: string): Record<string, string> {
  const noProxy = 'localhost,127.0.0.1,::1'
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: noProxy,
    http_proxy: proxy,
    https_proxy: proxy,
    no_proxy: noProxy,
    NODE_USE_ENV_PROXY: '1',
  }
}

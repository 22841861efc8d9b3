import { expect, it } from 'vitest'
import { appEnvironment } from './app-environment.ts'

const SURROUNDINGS = {
  path: '/bin',
  home: '/tmp',
  scratch: '/tmp',
  proxy: 'http://127.0.0.1:3128',
  apiUrl: undefined,
  tokenFile: undefined,
}

it('MA-15 an app can set PATH, LANG and NODE_ENV, but not what its sandbox depends on', () => {
  const all = { PATH: '/x', LANG: 'de_DE', NODE_ENV: 'test', HOME: '/x', TMPDIR: '/x', https_proxy: 'http://x' }
  expect(appEnvironment(all, SURROUNDINGS)).toEqual({
    PATH: '/x',
    LANG: 'de_DE',
    NODE_ENV: 'test',
    HOME: '/tmp',
    TMPDIR: '/tmp',
    HTTP_PROXY: 'http://127.0.0.1:3128',
    HTTPS_PROXY: 'http://127.0.0.1:3128',
    NO_PROXY: 'localhost,127.0.0.1,::1',
    http_proxy: 'http://127.0.0.1:3128',
    https_proxy: 'http://127.0.0.1:3128',
    no_proxy: 'localhost,127.0.0.1,::1',
    NODE_USE_ENV_PROXY: '1',
  })
})

it('MA-15 without a sandbox there is no proxy', () => {
  const names = Object.keys(appEnvironment({}, { ...SURROUNDINGS, proxy: undefined, apiUrl: 'http://localhost:8080' }))
  expect(names).toEqual(['PATH', 'LANG', 'NODE_ENV', 'SVC_API_URL', 'HOME', 'TMPDIR'])
})

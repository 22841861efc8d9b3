import { expect, test } from 'vitest'
import { readConfig } from '../command/config.ts'
import { findLogin, parseApiKey, parseApiUrl, requireLogin } from './credentials.ts'

type Env = Record<string, string>
const ADA = { home: '/home/ada', platform: 'linux', folder: '/home/ada/project' } as const
const NOWHERE = { SVC_CONFIG_DIR: '/nonexistent' }
const nowhere = (env: Env = {}) => readConfig({ ...NOWHERE, ...env }, ADA)
const file = (env: Env) => readConfig(env, ADA).contextsFile

test('the folder is SVC_CONFIG_DIR, else XDG_CONFIG_HOME, else ~/.config', () => {
  expect(file({ SVC_CONFIG_DIR: '/a', XDG_CONFIG_HOME: '/b' })).toBe('/a/svc/contexts.json')
  expect(file({ SVC_CONFIG_DIR: '', XDG_CONFIG_HOME: '/b' })).toBe('/b/svc/contexts.json')
  expect(file({})).toBe('/home/ada/.config/svc/contexts.json')
})

test('on Windows it is APPDATA', () => {
  const windows = { ...ADA, platform: 'win32' } as const
  expect(readConfig({ APPDATA: '/data' }, windows).contextsFile).toBe('/data/svc/contexts.json')
})

test('the instance of this folder keeps its data in .svc, or where SVC_DATA_DIR says', () => {
  expect(readConfig({}, ADA).dataDir).toBe('/home/ada/project/.svc')
  expect(readConfig({ SVC_DATA_DIR: 'data' }, ADA).dataDir).toBe('/home/ada/project/data')
})

test.each<[Env, readonly string[] | undefined]>([
  [{}, undefined],
  [{ DISPLAY: ':0' }, ['xdg-open']],
  [{ WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open']],
  [{ DISPLAY: ':10', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, undefined],
  [{ BROWSER: 'w3m', SSH_CONNECTION: 'x' }, ['w3m']],
])('with %j the browser is %j', (env, browser) => {
  expect(readConfig(env, ADA).browser).toEqual(browser)
})

test('the environment goes before any context', async () => {
  const config = nowhere({ SVC_API_URL: 'https://a.example.com/', SVC_API_KEY: 'k', SVC_CONTEXT: 'work' })
  expect(await findLogin(config)).toEqual({ context: null, api_url: 'https://a.example.com', api_key: 'k' })
})

test('half a login in the environment is refused, so that no key goes to another instance', async () => {
  await expect(findLogin(nowhere({ SVC_API_KEY: 'k' }))).rejects.toThrow('SVC_API_URL is not set')
  await expect(findLogin(nowhere({ SVC_API_URL: 'http://a' }))).rejects.toThrow('SVC_API_KEY is not set')
})

test('CL-01 SVC_CONTEXT and a context that was told must exist', async () => {
  const missing = { code: 'NOT_FOUND', message: 'No such context: work. List them with svc context list.' }
  await expect(findLogin(nowhere({ SVC_CONTEXT: 'work' }))).rejects.toMatchObject(missing)
  const refusal = findLogin(nowhere({ SVC_API_URL: 'http://a', SVC_API_KEY: 'k' }), 'work')
  await expect(refusal).rejects.toMatchObject(missing)
})

test('CL-02 without a login the refusal is that of authentication', async () => {
  await expect(requireLogin(nowhere())).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
})

test('an address is http or https and nothing but an address', () => {
  expect(parseApiUrl('http://localhost:8080/')).toBe('http://localhost:8080')
  for (const text of [
    'localhost:8080',
    'ftp://a.example.com',
    'nonsense',
    'https://u:p@a.example.com',
    'https://a?b',
  ]) {
    expect(() => parseApiUrl(text)).toThrow('The API URL')
  }
})

test('a key that no header can carry is refused without being shown', () => {
  expect(parseApiKey(' svc_abc\n')).toBe('svc_abc')
  const unsendable = 'The API key contains characters that no API key has. Check that you copied it correctly.'
  for (const text of ['', ' ']) expect(() => parseApiKey(text)).toThrow(/^The API key is empty\.$/)
  for (const text of ['se\ncret', 'se cret', 'sécret']) {
    expect(() => parseApiKey(text)).toThrow(expect.objectContaining({ message: unsendable }))
  }
})

import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { findLogin, parseApiKey, parseApiUrl, requireLogin } from './credentials.ts'

const NOWHERE = { SVC_CONFIG_DIR: '/nonexistent' }
const file = (env: Record<string, string>) => readConfig(env, '/home/ada').contextsFile

test('the folder is SVC_CONFIG_DIR, else XDG_CONFIG_HOME, else ~/.config', () => {
  expect(file({ SVC_CONFIG_DIR: '/a', XDG_CONFIG_HOME: '/b' })).toBe('/a/svc/contexts.json')
  expect(file({ SVC_CONFIG_DIR: '', XDG_CONFIG_HOME: '/b' })).toBe('/b/svc/contexts.json')
  expect(file({})).toBe('/home/ada/.config/svc/contexts.json')
})

test('the environment goes before any context', async () => {
  const config = readConfig({ ...NOWHERE, SVC_API_URL: 'https://a.example.com/', SVC_API_KEY: 'k' }, '/')
  expect(await findLogin(config)).toEqual({ context: null, api_url: 'https://a.example.com', api_key: 'k' })
})

test('half a login in the environment is refused, so that no key goes to another instance', async () => {
  await expect(findLogin(readConfig({ ...NOWHERE, SVC_API_KEY: 'k' }, '/'))).rejects.toThrow('SVC_API_URL is not set')
  await expect(findLogin(readConfig({ ...NOWHERE, SVC_API_URL: 'http://a' }, '/'))).rejects.toThrow(
    'SVC_API_KEY is not set',
  )
})

test('CL-02 without a login the refusal is that of authentication', async () => {
  await expect(requireLogin(readConfig(NOWHERE, '/'))).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
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
    expect(() => parseApiUrl(text)).toThrow('the API URL')
  }
})

test('a key that no header can carry is refused without being shown', () => {
  expect(parseApiKey(' svc_abc\n')).toBe('svc_abc')
  for (const text of ['', ' ', 'se\ncret', 'se cret', 'sécret']) {
    expect(() => parseApiKey(text)).toThrow(/^the API key [a-z ]+$/)
  }
})

import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addContext, type Contexts, readContexts, removeContext, switchTo, writeContexts } from './contexts.ts'

const NONE: Contexts = { current: null, contexts: {} }
const CONFIG = { program: 'npx svc' } as const
const login = (api_url: string, api_key = 'key') => ({ api_url, api_key })

describe('CL-01 names of contexts', () => {
  test('the first login is named after its host and becomes current', () => {
    const { name, contexts } = addContext(NONE, login('http://localhost:8080'), undefined)
    expect(name).toBe('localhost:8080')
    expect(contexts.current).toBe('localhost:8080')
  })

  test('the default port and the path are no part of the name', () => {
    expect(addContext(NONE, login('https://svc.example.com:443/base'), undefined).name).toBe('svc.example.com')
  })

  test('a name that is taken gets the next free suffix, and no login is overwritten', () => {
    const url = 'https://svc.example.com'
    const first = addContext(NONE, login(url, 'one'), undefined)
    const second = addContext(first.contexts, login(url, 'two'), undefined)
    const third = addContext(second.contexts, login(url, 'three'), undefined)
    expect(Object.keys(third.contexts.contexts)).toEqual(['svc.example.com', 'svc.example.com-2', 'svc.example.com-3'])
    expect(third.contexts.contexts['svc.example.com']!.api_key).toBe('one')
    expect(third.contexts.current).toBe('svc.example.com')
  })

  test('an explicit name that is taken is a conflict', () => {
    const { contexts } = addContext(NONE, login('https://a.example.com'), 'work')
    expect(() => addContext(contexts, login('https://b.example.com'), 'work')).toThrow(
      'A context named work already exists. Choose another name with --context.',
    )
  })

  test('an explicit name must be one that a shell needs no quotes for', () => {
    for (const name of ['', 'a b', '__proto__', '-x', 'a\n', 'a'.repeat(101)]) {
      expect(() => addContext(NONE, login('https://a.example.com'), name)).toThrow('A context name can have')
    }
  })

  test('only a context that exists can be used, names of built-in properties included', () => {
    const { contexts } = addContext(NONE, login('https://a.example.com'), 'a')
    expect(switchTo(contexts, 'a', CONFIG).current).toBe('a')
    expect(() => switchTo(contexts, 'constructor', CONFIG)).toThrow(
      'No such context: constructor. List them with npx svc context list.',
    )
  })
})

describe('CL-01 removing', () => {
  const { contexts: one } = addContext(NONE, login('https://a.example.com'), 'a')
  const { contexts: two } = addContext(one, login('https://b.example.com'), 'b')

  test('the current one leaves none current; another leaves the current one', () => {
    expect(removeContext(two, 'a', CONFIG)).toEqual({ current: null, contexts: { b: login('https://b.example.com') } })
    expect(removeContext(two, 'b', CONFIG)).toEqual(one)
  })

  test('an unknown one is refused, names of built-in properties included', () => {
    expect(() => removeContext(two, 'constructor', CONFIG)).toThrow(
      'No such context: constructor. List them with npx svc context list.',
    )
  })
})

describe('CL-01 the file of contexts', () => {
  let folder: string
  let file: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-contexts-'))
    file = join(folder, 'svc', 'contexts.json')
  })
  afterEach(() => rm(folder, { recursive: true }))

  test('is private to the user, also where folder and file were open before, and leaves nothing beside it', async () => {
    await mkdir(dirname(file), { mode: 0o755 })
    await writeFile(file, '{}', { mode: 0o644 })
    await writeContexts(file, addContext(NONE, login('https://a.example.com'), undefined).contexts)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700)
    expect(await readdir(dirname(file))).toEqual(['contexts.json'])
  })

  test('reads back as it was written, and as empty where there is none', async () => {
    expect(await readContexts(file)).toEqual(NONE)
    const { contexts } = addContext(NONE, login('https://a.example.com'), undefined)
    await writeContexts(file, contexts)
    expect(await readContexts(file)).toEqual(contexts)
  })

  test.each(['{"current": 1', 'null', '{}', '{"current":1,"contexts":{}}', '{"current":"a","contexts":{"a":{}}}'])(
    'when damaged, as %s, it is named and left as it is',
    async (text) => {
      await mkdir(dirname(file))
      await writeFile(file, text)
      await expect(readContexts(file)).rejects.toThrow(`${file} is damaged`)
      expect(await readFile(file, 'utf8')).toBe(text)
    },
  )
})

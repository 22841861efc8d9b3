import { describe, expect, it } from 'vitest'
import type { ProviderSettings } from '../providers/provider.ts'
import { createEmbed } from './embed.ts'
import { createModels } from './registry.ts'

const going = new AbortController().signal

/** A model of one dimension, the text's length; remembers what it was asked. */
function openCounting(settings: Partial<ProviderSettings> = {}) {
  const asked: string[][] = []
  const embed = async ({ texts }: { texts: readonly string[] }) => {
    asked.push([...texts])
    return { vectors: texts.map((text) => new Float32Array([text.length])), tokens: 1 }
  }
  const models = [{ name: 'len', dimensions: 1, chat: false, tools: false }]
  const address = { name: 'acme', baseUrl: 'http://acme.test', apiKey: undefined } as const
  const base = { ...address, kind: 'openai', models, outputLimitKey: 'max_tokens' } as const
  const registry = createModels({ embed: async () => ({ vectors: [], tokens: 0 }) }, [{ ...base, ...settings, embed }])
  return { asked, registry }
}

describe('DS-24 embedding', () => {
  it('a text is embedded once; the answer keeps the order of the texts', async () => {
    const { asked, registry } = openCounting()
    const embed = createEmbed(registry)
    expect(await embed('acme/len', ['aaa', 'b'], going)).toEqual([new Float32Array([3]), new Float32Array([1])])
    const mixed = await embed('acme/len', ['cc', 'aaa', 'dddd', 'b'], going)
    expect(mixed.map(([length]) => length)).toEqual([2, 3, 4, 1])
    expect(asked).toEqual([
      ['aaa', 'b'],
      ['cc', 'dddd'],
    ])
  })

  it('a caller that changes its vector does not change the cached one', async () => {
    const { registry } = openCounting()
    const embed = createEmbed(registry)
    const [first] = await embed('acme/len', ['aaa'], going)
    first!.fill(9)
    const [second] = await embed('acme/len', ['aaa'], going)
    second!.fill(9)
    expect(await embed('acme/len', ['aaa'], going)).toEqual([new Float32Array([3])])
  })

  it('vectors of different models are cached separately', async () => {
    const { asked, registry } = openCounting({ models: undefined })
    const embed = createEmbed(registry)
    await embed('acme/a', ['x'], going)
    await embed('acme/b', ['x'], going)
    expect(asked).toHaveLength(2)
  })

  it('the cache is bounded in bytes and evicts unused entries first', async () => {
    const { asked, registry } = openCounting()
    const embed = createEmbed(registry, 2 * 204)
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await embed('acme/len', [text], going)
    expect(asked.flat()).toEqual(['a', 'b', 'c', 'b'])
  })
})

describe('DS-24 embedding without asking anyone outside', () => {
  it('gives the vector of a text that was embedded before, and asks no provider for any other', async () => {
    const { asked, registry } = openCounting()
    const embed = createEmbed(registry)
    expect(embed.here('acme/len', 'aaa', { signal: going })).toBeUndefined()
    await embed('acme/len', ['aaa'], going)
    expect(await embed.here('acme/len', 'aaa', { signal: going })).toEqual(new Float32Array([3]))
    expect(asked).toEqual([['aaa']])
  })
})

describe('DS-24 the registry of models', () => {
  it('lists the built-in model and those that are configured', () => {
    const { registry } = openCounting()
    expect(registry.list()).toEqual([
      { name: 'builtin/all-minilm-l6-v2', dimensions: 384 },
      { name: 'acme/len', dimensions: 1 },
    ])
  })

  it('an unknown name is refused with the list of models', () => {
    const message = 'no embedding model of that name; there are builtin/all-minilm-l6-v2, acme/len'
    const { registry } = openCounting()
    for (const name of ['acme/other', 'other/len', 'len', '', '/', 'builtin/other', '__proto__/x']) {
      expect(() => registry.get(name)).toThrow(expect.objectContaining({ code: 'NOT_FOUND', message }))
    }
  })

  it('a provider without a list knows its own models', () => {
    const { registry } = openCounting({ models: undefined })
    expect(registry.find('acme/BAAI/bge-small:v1.5')).toMatchObject({ name: 'acme/BAAI/bge-small:v1.5' })
    expect(registry.find('acme/')).toBeUndefined()
    expect(registry.find('acme/a b')).toBeUndefined()
    expect(() => registry.get('other/x')).toThrow('acme/<any of its models>')
  })
})

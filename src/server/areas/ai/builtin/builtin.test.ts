import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workerEntry } from '#lib/files/bundle.ts'
import { type Builtin, createBuiltin } from './builtin.ts'
import { weightsFolder } from './weights.ts'

const place = mkdtempSync(join(tmpdir(), 'svc-model-'))
const going = new AbortController().signal
let model: Builtin
beforeAll(() => {
  // The real thread, but one that can be made to die.
  const worker = join(place, 'mortal.mts')
  writeFileSync(
    worker,
    `import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ message }) => { if (message.text === 'die') process.exit(1) })
    await import(${JSON.stringify(workerEntry('src/server/areas/ai/builtin/model-worker.ts'))})`,
  )
  model = createBuiltin({ worker })
})
afterAll(async () => {
  await model[Symbol.asyncDispose]()
  rmSync(place, { recursive: true })
})

const embed = async (...texts: string[]) => (await model.embed(texts, going)).vectors
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)
const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n % 97}`).join(' ')

describe('DS-24 the model that ships with the product', () => {
  it('a text has the same vector to the last bit, alone or in a batch', async () => {
    const [alone] = await embed('How many days of leave do I get?')
    const [first, , again] = await embed(
      'How many days of leave do I get?',
      words(200),
      'How many days of leave do I get?',
    )
    expect(alone).toHaveLength(384)
    expect(first).toEqual(alone)
    expect(again).toEqual(alone)
    expect(dot(alone!, alone!)).toBeCloseTo(1, 5)
  })

  it.each([
    ['How do I get my money back?', 'Refunds are paid within five days', 'The office dog is called Rex'],
    ['when can I stay home with a newborn', 'Parental leave lasts sixteen weeks', 'Expense reports are due monthly'],
    ['laptop stolen', 'Report lost or taken equipment at once', 'The canteen serves lunch from noon'],
  ])('"%s" is nearer to "%s" than to "%s"', async (question, near, far) => {
    const [asked, nearer, further] = await embed(question, near, far)
    expect(dot(asked!, nearer!)).toBeGreaterThan(dot(asked!, further!) + 0.1)
  })

  it('ten thousand words are cut to 256 word pieces, so what follows changes nothing', async () => {
    const long = await model.embed([words(10_000)], going)
    expect(long.tokens).toBe(256)
    const { tokens, vectors } = await model.embed([`${words(10_000)} and an ending of its own`, words(20)], going)
    expect(vectors[0]).toEqual(long.vectors[0])
    expect(vectors[1]).not.toEqual(long.vectors[0])
    expect(tokens).toBeGreaterThan(256)
  })

  it.each([
    ['empty', '', 2],
    ['white space', ' \n\t\u00a0', 2],
    ['Korean', '한국어', 10],
    ['Turkish', 'İstanbul', 3],
    ['an emoji', '🎉', 3],
    ['half a character', '\ud800 x', 3],
    ['a word without end', 'a'.repeat(8000), 3],
    ['null characters', 'a\0b', 3],
  ])('%s has a vector of length 1', async (_, text, tokens) => {
    const embedded = await model.embed([text], going)
    expect(embedded.tokens).toBe(tokens)
    expect(dot(embedded.vectors[0]!, embedded.vectors[0]!)).toBeCloseTo(1, 5)
  })

  it('a thread that dies fails its current texts, and a new one serves the next', async () => {
    const [before] = await embed('still there')
    const dying = model.embed(['die', 'never reached'], going)
    const other = embed('still there')
    await expect(dying).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 1 })
    expect(await other).toEqual([before])
  })

  it('no texts give no vectors', async () => {
    expect(await model.embed([], going)).toEqual({ vectors: [], tokens: 0 })
  })

  it('weights other than those this version knows are refused', async () => {
    const folder = join(place, 'weights')
    cpSync(weightsFolder(), folder, { recursive: true })
    const file = join(folder, 'onnx', 'model_quantized.onnx')
    const bytes = readFileSync(file)
    bytes[1_000_000]! ^= 1
    writeFileSync(file, bytes)
    await using wrong = createBuiltin({ folder })
    await expect(wrong.warm()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The built-in model cannot be loaded. The log says why.',
      cause: { message: 'onnx/model_quantized.onnx is not the model this version knows' },
    })
    await expect(wrong.embed(['x'], going)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('OP-03 a stop lets the text that is worked on end, because ending the native code aborts the process', async () => {
    const stopping = createBuiltin()
    await stopping.warm()
    const embedded = stopping.embed([words(256)], going)
    await stopping[Symbol.asyncDispose]()
    expect((await embedded).vectors[0]).toHaveLength(384)
  })

  it('OP-03 its check fails after it could not be loaded', async () => {
    await using missing = createBuiltin({ folder: join(place, 'none') })
    await missing.check()
    await expect(missing.warm()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(missing.check()).rejects.toThrow('The built-in model cannot be loaded.')
    await model.warm()
    await model.check()
  })
})

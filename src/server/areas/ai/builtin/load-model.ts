import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { createTokenize } from './tokenize.ts'

/** Digest of all-MiniLM-L6-v2, quantised to 8 bits. Other weights would not match the vectors that users have stored. */
const SHA256 = {
  'onnx/model_quantized.onnx': 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
  'tokenizer.json': 'aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef',
  'tokenizer_config.json': '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
} as const
type ModelFile = keyof typeof SHA256

export type Loaded = {
  tokenize(text: string): number[]
  /** Hidden states of the tokens, one after the other. */
  run(ids: readonly number[], mask: readonly number[]): Promise<Float32Array>
}

export async function loadModel(folder: string): Promise<Loaded> {
  const read = (file: ModelFile) => readChecked(folder, file)
  const [weights, ...texts] = await Promise.all([
    read('onnx/model_quantized.onnx'),
    read('tokenizer.json'),
    read('tokenizer_config.json'),
  ])
  const [vocabulary, settings] = texts.map((text) => JSON.parse(text.toString('utf8')) as object)
  const tokenizer = new Tokenizer(vocabulary!, settings!)
  const session = await InferenceSession.create(weights, { intraOpNumThreads: 1, interOpNumThreads: 1 })
  return { tokenize: createTokenize(tokenizer), run: (ids, mask) => run(session, ids, mask) }
}

/** Reads a file once, so that the bytes that were checked are the bytes that are used. */
async function readChecked(folder: string, file: ModelFile): Promise<Buffer> {
  const bytes = await readFile(join(folder, file))
  if (hash('sha256', bytes) !== SHA256[file]) throw new Error(`${file} is not the model this version knows`)
  return bytes
}

async function run(session: InferenceSession, ids: readonly number[], mask: readonly number[]): Promise<Float32Array> {
  const row = (values: readonly number[]) => new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])
  const { last_hidden_state } = await session.run({
    input_ids: row(ids),
    attention_mask: row(mask),
    token_type_ids: row(ids.map(() => 0)),
  })
  return last_hidden_state!.data as Float32Array
}

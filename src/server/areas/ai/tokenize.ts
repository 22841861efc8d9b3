import type { Tokenizer } from '@huggingface/tokenizers'

export const MAX_TOKENS = 256
const CHUNK_CHARS = 512
/** What the tokenizer itself takes as the end of a word, whatever stands around it. */
const SPACE = /[ \n\t]/g

/**
 * Word pieces with [CLS] and [SEP] around them, cut to what the model was trained on: the tokenizer does not cut,
 * whatever its file says. It goes chunk by chunk, since words it does not know are slow and most of a long text
 * never counts.
 */
export function createTokenize(tokenizer: Tokenizer): (text: string) => number[] {
  const [open, close] = tokenizer.encode('').ids as [number, number]
  return (text) => {
    const ids: number[] = [open]
    for (const chunk of chunksOf(text)) {
      ids.push(...tokenizer.encode(chunk, { add_special_tokens: false }).ids)
      if (ids.length >= MAX_TOKENS) break
    }
    return [...ids.slice(0, MAX_TOKENS - 1), close]
  }
}

function* chunksOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    SPACE.lastIndex = start + CHUNK_CHARS
    const end = SPACE.exec(text)?.index ?? text.length
    yield text.slice(start, end)
    start = end
  }
}

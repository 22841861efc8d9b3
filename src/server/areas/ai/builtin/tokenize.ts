import type { Tokenizer } from '@huggingface/tokenizers'

export const MAX_TOKENS = 256
const CHUNK_CHARS = 512

/**
 * Turns a text into the ids of its word pieces, with [CLS] and [SEP] around them, cut to MAX_TOKENS because the
 * tokenizer does not cut. It goes chunk by chunk and stops early, because unknown words are slow to split and most of a
 * long text is cut off anyway.
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

/** Cuts only at characters that the tokenizer always takes as the end of a word. */
function* chunksOf(text: string): Generator<string> {
  const space = /[ \n\t]/g
  for (let start = 0; start < text.length; ) {
    space.lastIndex = start + CHUNK_CHARS
    const end = space.exec(text)?.index ?? text.length
    yield text.slice(start, end)
    start = end
  }
}

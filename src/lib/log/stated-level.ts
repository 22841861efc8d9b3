import { levelInHead } from './level-in-head.ts'
import { levelOfWord, type StatedLevel } from './level-names.ts'

const MAX_HEAD = 200
/**
 * Signs, a time, signs and a word. Each part before the word is matched as a whole (by a lookahead and a reference to it),
 * because matching it again with fewer characters takes quadratic time on a line of dashes.
 */
const FIRST_WORD = /^(?=(\W*))\1(?=((?:\d(?:[\d:.,+\s-]|(?<=\d)[TZ])*)?))\2(?=(\W*))\3([A-Za-z]{3,8})\b/

/** Reads the level that a logger wrote: a field of JSON or logfmt, or a word in the part of the line before its message. */
export function statedLevel(line: string): StatedLevel | undefined {
  if (line.startsWith('{')) return levelInJson(line)
  // Loggers write the level here.
  const head = line.slice(0, MAX_HEAD)
  const field = /(?:^|\s)(?:level|severity|lvl)="?([A-Za-z]{3,8})\b/.exec(head)?.[1]
  if (field !== undefined) return levelOfWord(field)
  const word = FIRST_WORD.exec(head)?.[4]
  const first = word !== undefined && (word === word.toUpperCase() || /^\W/.test(head)) ? levelOfWord(word) : undefined
  return first ?? levelInHead(head)
}

const WORD_FIELD =
  /"(?:level|severity|lvl|level_name|levelname|loglevel|log\.level|@l)"\s{0,3}:\s{0,3}"([A-Za-z]{1,12})"/i
const NUMBER_FIELD = /"(?:level|severity)"\s{0,3}:\s{0,3}(\d{2,3})\b/

/** Reads the level as a word, or as a number of pino, bunyan (two digits) or Monolog (three digits). */
function levelInJson(line: string): StatedLevel | undefined {
  const word = WORD_FIELD.exec(line)?.[1]
  if (word !== undefined) return levelOfWord(word)
  const number = NUMBER_FIELD.exec(line)?.[1]
  if (number === undefined) return undefined
  return number.length === 2 ? levelOfPino(Number(number)) : levelOfMonolog(Number(number))
}

function levelOfPino(number: number): StatedLevel {
  if (number >= 50) return 'error'
  if (number >= 40) return 'warn'
  return number >= 30 ? 'info' : 'debug'
}

function levelOfMonolog(number: number): StatedLevel {
  if (number >= 400) return 'error'
  if (number >= 300) return 'warn'
  return number >= 200 ? 'info' : 'debug'
}

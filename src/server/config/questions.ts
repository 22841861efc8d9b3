/** How many questions an organization may ask its data sources. */
export type QuestionSettings = { perMinute: number; perDay: number }

type Read = { integer(name: string, fallback: number, min: number, max: number): number }

export const QUESTION_VARIABLES = ['SVC_QUESTIONS_PER_MINUTE', 'SVC_QUESTIONS_PER_DAY'] as const

const PER_MINUTE = 60
const PER_DAY = 5_000
const MOST = 1_000_000_000

export function readQuestions(read: Read): Readonly<QuestionSettings> {
  return Object.freeze({
    perMinute: read.integer('SVC_QUESTIONS_PER_MINUTE', PER_MINUTE, 0, MOST),
    perDay: read.integer('SVC_QUESTIONS_PER_DAY', PER_DAY, 0, MOST),
  })
}

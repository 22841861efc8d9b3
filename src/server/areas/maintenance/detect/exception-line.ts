/**
 * The name of an exception at the beginning of a line: `TypeError: …`, `java.io.IOException`, `Shop::PayError (…)`,
 * `App\Exceptions\NoRate: …`, `** (KeyError) …`.
 */
const EXCEPTION =
  /^(?:Uncaught |\*\* \()?(?:[A-Za-z_$][\w$]{0,60}(?:\.|::|\\)){0,8}(?:[\w$]{0,60}(?:Error|Exception)|[\w$]{1,60}Timeout)\b(?: \[\w{1,60}\])?(?:[:)]| \(|$)/

/** Matches a line that begins with the name of an exception, as it stands above a stack trace. */
export function isExceptionLine(line: string): boolean {
  return EXCEPTION.test(line.slice(0, 600))
}

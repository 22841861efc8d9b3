/**
 * Errors of programs that could not find a file, or a name in it: when they load it, or when they use the name. Errors of syntax are not among them: a test that has one
 * fails with the change too, and an app that reads JSON has such errors as its fault.
 */
const LOAD_FAULTS: readonly RegExp[] = [
  /\bERR_(?:MODULE_NOT_FOUND|PACKAGE_PATH_NOT_EXPORTED|UNKNOWN_FILE_EXTENSION|REQUIRE_ESM)\b/,
  /\bMODULE_NOT_FOUND\b|\bCannot find (?:module|package)\b/,
  /\bdoes not provide an export named\b|\bNo matching export\b/,
  /\b(?:ModuleNotFoundError|ImportError|LoadError)\b/,
  /\berror TS\d{4,5}\b|\berror\[E\d{4}\]|\[build failed\]/,
  /\bis not (?:a function|a constructor|defined)\b|\bReferenceError\b/,
  /\bNameError\b|\bhas no attribute\b|\bgot an unexpected keyword argument\b/,
  /\bundefined (?:local variable or )?method\b|\bNoMethodError\b|\buninitialized constant\b/,
  /\bCall to undefined (?:function|method)\b|\bClass "[^"\n]*" not found\b|\bUndefinedFunctionError\b/,
  /\bcannot find symbol\b|\b[Uu]nresolved reference\b|\berror CS\d{4}\b|\bNoSuchMethodError\b|: undefined: /,
  /\bCould not resolve ["']|\bFailed to resolve import\b|\bFailed to load url\b/,
]

/**
 * Returns the words of an output that show that a file or a name is missing, such as `error TS2305`, or undefined. A test
 * that fails on the live revision by such an error shows that something is new, and not the fault. A wrong guess makes a
 * proof weaker and never stronger. A test that hides the error is not recognised.
 */
export function findLoadFault(output: string): string | undefined {
  for (const pattern of LOAD_FAULTS) {
    const found = pattern.exec(output)?.[0]
    if (found !== undefined) return found
  }
  return undefined
}

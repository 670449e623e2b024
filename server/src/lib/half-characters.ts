const backslash = 0x5c
const letterU = 0x75

/**
 * Whether a JSON text holds half of a surrogate pair, which is no text and cannot be stored. Only an escape can bring one into a text that came as
 * UTF-8.
 */
export function holdsHalfCharacter(json: Buffer): boolean {
  for (let at = json.indexOf(backslash); at !== -1; at = json.indexOf(backslash, at)) {
    const unit = unitAt(json, at)
    if (isLow(unit)) return true
    const isPair = isHigh(unit) && json[at + 6] === backslash && isLow(unitAt(json, at + 6))
    if (isHigh(unit) && !isPair) return true
    at += isPair ? 12 : json[at + 1] === letterU ? 6 : 2
  }
  return false
}

/** -1 where no escape of this kind begins. */
function unitAt(json: Buffer, at: number): number {
  return json[at + 1] === letterU ? Number.parseInt(json.toString('latin1', at + 2, at + 6), 16) : -1
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}

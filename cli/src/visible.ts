// Names, logs and messages come from the service, and whoever wrote them may have put in what moves the cursor, changes the title or
// turns the text around. A terminal gets such characters spelled out.

/** Control characters but line feed and tab, and those that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** The same text, safe to show. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(hidden, spell)
}

/** JSON that means the same; JSON.stringify leaves some of them as they are. */
export function visibleJson(json: string): string {
  return json.replaceAll(hidden, spell)
}

function spell(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

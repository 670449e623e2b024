import { Type } from 'typebox'

/** No control characters, which drive the terminals and mails that names are shown in, and none that turn text around. */
const shown = '[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*'
export const namePattern = `^${shown}$`
const title = 'single line of text without control characters'

/** For whatever people name. */
export const Name = Type.String({ minLength: 1, maxLength: 200, pattern: namePattern, title })
export const Label = Type.String({ maxLength: 200, pattern: namePattern, title })

/**
 * A name stands in e-mails to people who did not choose it: with an address in it, an invitation would be an advertisement for whoever sent it.
 * Mail programs make links of anything with a dot between words.
 */
export const PersonName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: `^(?!.*(?:[@/\\\\<>]|[^\\s.]{2}\\.[^\\s.]{2}))${shown}$`,
  title: 'name on a single line, without web or e-mail addresses',
})

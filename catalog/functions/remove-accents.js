/*---
id: 830e236c-6c43-4b1b-a8bf-4ab61896c3e6
name: removeAccents
description: Replace accented letters with plain ones, including æ, ø, å and ß.
category: Text
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.removeAccents('Blåbærsyltetøy à la Straße')
    result: Blabaersyltetoy a la Strasse
---*/
const special = { æ: 'ae', Æ: 'AE', ø: 'o', Ø: 'O', ß: 'ss', œ: 'oe', Œ: 'OE', đ: 'd', Đ: 'D', ł: 'l', Ł: 'L', þ: 'th', Þ: 'Th', ð: 'd', Ð: 'D', ı: 'i' }
return String(value ?? '').replace(/[æÆøØßœŒđĐłŁþÞðÐı]/g, (letter) => special[letter]).normalize('NFD').replace(/[\u0300-\u036f]/g, '')

import { NEAR_DAY, WRITTEN_DAY } from "../../learn/plan/quantities.ts";
import { PIECE_FORMS } from "../../learn/texts/text-piece.ts";
import { BETWEEN, NO_WORDS } from "../../learn/expectations/near-texts.ts";
import { KIND_FORMS } from "../../learn/expectations/value-kind.ts";

const LETTER = String.raw`[\\p{L}\\p{N}]`;
const SPACE = String.raw`[\\t-\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]`;
const NO_FORM = `error("A text does not have the expected form")`;

/**
 * What printed jq may use of its own: definitions that an expression which needs them begins with, those first that others
 * use. Each does what its counterpart in `learn/codegen/helpers.ts` does; nothing, rather than null, is `empty`. They keep
 * to what jq 1.6 and its implementation in Java have in common: there `first` within `first` ends the wrong one.
 */
const JQ_HELPERS: { readonly [name: string]: string } = {
  or_else: `def or_else(value; other): [value] as $found | if $found == [] then other else $found[0] end;`,
  told: `def told: if . == null or . == "" then error("An answer does not tell what is needed") else . end;`,
  some_of: `def some_of: if . == [] then error("Nothing is what it has to be") else . end;`,
  kind_form: `def kind_form($kind): ${JSON.stringify(KIND_FORMS)}[$kind];`,
  of_kind: `def of_kind($kind): told | if (if type == "number"
    then (($kind | startswith("num")) or $kind == "cell") and (. != floor or (if . < 0 then -. else . end) < 9007199254740992)
    else $kind != "number" and type == "string" and test("\\\\A(?:\\(kind_form($kind)))\\\\z") end) then .
  else error("An answer tells something of another kind than when the skill was learned") end;`,
  near_words: `def near_words: " " + (ascii_downcase | gsub("[^\\\\p{L}\\\\p{N}]+"; " ") | sub("\\\\A "; "") | sub(" \\\\z"; "")) + " ";`,
  clear: `def clear($wanted): if (type != "boolean" and ($wanted | type) == "boolean")
    or (($wanted | type) == "string" and ($wanted | test("\\\\A[-–—?]*\\\\z")) and . != $wanted and (. == null or (type == "string" and test("\\\\A[^\\\\p{L}\\\\p{N}]*(?:${NO_WORDS})?[^\\\\p{L}\\\\p{N}]*\\\\z"; "i"))))
    or (type == "string" and ($wanted | type) == "string" and . != $wanted
      and ($wanted | test("[0-9]") | not) and ($wanted | near_words | length) > 4 and (near_words | contains($wanted | near_words)))
  then error("Whether a text is meant by another was not seen when the skill was learned") else . end;`,
  names: `def names: .[1:-1] | split(" ") | [sort, (if length > 2 then [.[0], .[-1]] else . end | sort)];`,
  are_short: `def are_short($other): def like(one; two): (one | length) == 1 and (one as $short | two | startswith($short));
  (.[1:-1] | split(" ")) as $own | ($other[1:-1] | split(" ")) as $others
  | ($own | length) == ($others | length)
    and any(range(0; $own | length); . as $nth | ($own[$nth] | length) > 1 and $own[$nth] == $others[$nth])
    and all(range(0; $own | length); . as $nth | $own[$nth] == $others[$nth]
      or like($own[$nth]; $others[$nth]) or like($others[$nth]; $own[$nth]));`,
  is_one: `def is_one($other): if . == $other then true elif test("[0-9]") or ($other | test("[0-9]")) then false
  else names as $own | ($other | names) as $others
    | $own[0] == $others[0] or $own[1] == $others[0] or $own[0] == $others[1] or are_short($other) end;`,
  has_among: `def has_among($other): any(gsub(${JSON.stringify(BETWEEN)}; "\\u001f") | split("\\u001f") | .[]; near_words == $other);`,
  is_near: `def is_near($value; $words): tostring | near_words as $own
  | $own != "  " and (($own | is_one($words)) or has_among($words) or ($value | tostring | has_among($own)));`,
  is_in: `def is_in($items): . as $value
  | if ($items | type) != "array" or $value == null or $value == "" then error("There is nothing that could be one of a list")
    elif any($items[]; . == $value) then true
    elif ($value | type == "object" or type == "array") then false
    else ($value | tostring | near_words) as $words
      | if $words != "  " and any($items[]; type != "object" and type != "array" and . != null and is_near($value; $words))
        then error("A value is written otherwise in a list, as it was not when the skill was learned") else false end
    end;`,
  slug: `def slug($separator; $lower): if type == "string" and test("\\\\A[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*\\\\z") and ($separator == "-" or (contains("-") | not))
  then gsub(" "; $separator) | if $lower then ascii_downcase else . end
  else error("A text of which a name is made has more than words") end;`,
  list: `def list: if type == "array" then . else error("What is to be a list is none") end;`,
  not_none: `def not_none: if . == [] then error("Nothing is what it has to be, as something was when the skill was learned") else . end;`,
  there: `def there: if . == [] then error("An element of a list is missing") else .[0] end;`,
  lookup: `def lookup($path): reduce $path[] as $key ([.];
  if length == 1 and (.[0] | type == "object" and has($key)) then [.[0][$key]] else [] end) | .[];`,
  at: `def at($path): or_else(lookup($path[:-1]); null)
  | if . == null then error("There is nothing that could have \\($path[-1])") else lookup($path[-1:]) end;`,
  grouped: `def grouped($path): reduce (list | .[]) as $each ([]; . as $groups
  | ($each | or_else(lookup($path); null)) as $name
  | if ($name | type) != "string" and ($name | type) != "number" then error("An answer does not tell what is needed") else . end
  | if $name | is_in([$groups[] | .name]) then map(if .name == $name then .elements += [$each] else . end)
    else . + [{name: $name, elements: [$each]}] end);`,
  same: `def same(a; b): [a] == [b];`,
  ends: `def ends(a; b): [a, b] | length == 2 and all(.[]; type == "string") and (.[1] as $tail | .[0] | endswith($tail));`,
  begins: `def begins(a; b): [a, b] | length == 2 and all(.[]; type == "string") and (.[1] as $head | .[0] | startswith($head));`,
  contains_words: `def contains_words(a; b): [a, b] | length == 2 and (.[0] | type == "string") and (.[1] | . != "" and (type == "string" or type == "number"))
  and ((.[1] | tostring | gsub("(?<sign>[^\\\\p{L}\\\\p{N}\\\\s])"; "\\\\\\(.sign)")) as $words
    | .[0] | test("(?<![\\\\p{L}\\\\p{N}])\\($words)(?![\\\\p{L}\\\\p{N}])"));`,
  runs: `def runs: gsub("(?<digits>[0-9]+)"; " \\(.digits) ") | near_words;`,
  seen_join: `def seen_join($signs; $text; $seen): if $signs == $text or ($signs | test("\\\\s") and test("\\\\S")) then true
  elif $seen == null then $signs != "" else (if $signs | test("\\\\s") then " " else $signs end) as $sign | any($seen[]; . == $sign) end;`,
  has_seen: `def has_seen($wanted; $joins): type == "string" and (split($wanted) as $pieces
  | any(range(1; $pieces | length); . as $at
    | ($pieces[:$at] | join($wanted)) as $before | ($pieces[$at:] | join($wanted)) as $after
    | seen_join($before | match("[^\\\\p{L}\\\\p{N}]*\\\\z").string; $before; $joins.before)
      and seen_join($after | match("\\\\A[^\\\\p{L}\\\\p{N}]*").string; $after; $joins.after)));`,
  clear_part: `def clear_part($wanted; $joins; $element): if ($wanted | type) == "string" and ($wanted | length) > 2 and (has_seen($wanted; $joins) | not)
    and ($wanted | runs | (if test("\\\\A [0-9]") then . else .[1:] end) | (if test("[0-9] \\\\z") then . else .[:-1] end)) as $letters
      | $letters != "" and any($element | .. | strings; runs | contains($letters))
  then error("Whether a text is meant by another was not seen when the skill was learned") else . end;`,
  form_of: `def form_of: if type == "string" and test("\\\\A(?:[0-9]{4}-[0-9]{2}|[0-9]{2}:[0-9]{2})") then gsub("[0-9]"; "0")
  else error("Values cannot be compared") end;`,
  ordered: `def ordered: if all(.[]; type == "number") or (map(form_of) | unique | length) == 1 then .
  else error("Values cannot be compared") end;`,
  pair: `def pair(a; b): [or_else(a; null), or_else(b; null)]
  | if (.[1] | type == "number") and (.[0] | type == "string" and test("\\\\A-?[0-9]{1,15}(?:[.][0-9]{1,12})?\\\\z"))
    then .[0] |= tonumber else . end | ordered;`,
  day_pairs: `def day_pairs(a; b): [or_else(a; null), or_else(b; null)] as [$text, $limit]
  | ${JSON.stringify(WRITTEN_DAY.join(""))} as $written
  | (if $text | type == "string" then [$text | match($written; "g").string] | unique else [] end) as $days
  | if ($text | type) != "string" or ($days | length) > 1 or ($days == [] and ($text | test(${JSON.stringify(NEAR_DAY.join(""))}; "i")))
    then error("A day in a text is written otherwise, or there are several")
    elif ($limit | type == "string" and test("\\\\A(?:\\($written))\\\\z")) | not then error("What has to be a day is none")
    else [$days[] | [., $limit]] end;`,
  one: `def one(fits): [if type == "array" then .[] else empty end | select(fits)] as $found
  | if $found == [] then error("Nothing is what the input asks for")
    elif all($found[]; . == $found[0]) then $found[0]
    else error("Several are what the input asks for") end;`,
  extreme: `def extreme($path; best): [if type == "array" then .[] else empty end] as $all
  | if $all == [] then error("There is nothing to choose from") else . end
  | [$all[] | or_else(lookup($path); null)] | ordered | . as $values | best as $best
  | [range($all | length) | select($values[.] == $best) | $all[.]] | one(true);`,
  clear_order: `def clear_order($a; $b): ([$a, $b | explode] as $all | [range([$all[] | length] | min) as $nth
  | select($all[0][$nth] != $all[1][$nth]) | $nth] | .[0]) as $at
  | if $at == null then true else ($a[$at:$at + 1] + $b[$at:$at + 1]) as $signs
  | ($a[:$at] | capture("(?<own>[0-9]*)\\\\z").own) as $before
  | [$a, $b | .[$at:] | capture("\\\\A(?<own>[0-9]*)").own | length] as [$own, $other]
  | if ($before != "" or ($signs | test("\\\\A[0-9]{2}\\\\z"))) and $own != $other then false
    else ($signs | test("\\\\A[ 0-9A-Za-z]{2}\\\\z")) and ($signs | ascii_downcase | .[:1] != .[1:]) end end;`,
  sorted_by: `def sorted_by($path; $falling; $strict): list | [.[] | {element: ., own: or_else(lookup($path); null)}]
  | if all(.own | type == "number") or all(.own | type == "string") then . else error("What is to be sorted is neither numbers nor texts") end
  | group_by(.own | if type == "string" then ascii_downcase else . end) | if $falling then reverse else . end | [.[] | .[]]
  | map(.own) as $owns | map(.own | if type == "string" then ascii_downcase else . end) as $keys
  | if any(range(1; length); ($strict and $keys[. - 1] == $keys[.]) or (($owns[0] | type) == "string" and (clear_order($owns[. - 1]; $owns[.]) | not)))
    then error("It is not clear which of two comes first") else map(.element) end;`,
  taken: `def taken($count; $last; $by): list | length as $all
  | if $all < $count then error("There are too few elements") else . end
  | (if $last then $all - $count else $count end) as $at
  | if $by != null and $all > $count and ([.[$at - 1], .[$at] | or_else(lookup($by); null)] | .[0] == .[1])
    then error("It is not clear which elements are meant") elif $last then .[$at:] else .[:$at] end;`,
  numbered: `def numbered: list | [range(length) as $nth | {number: ($nth + 1), element: .[$nth]}];`,
  cased: `def cased($upper): if type == "string" then explode else error("What is to be a text is none") end
  | if all(.[]; . < 128 or (. > 159 and . < 255 and . != 170 and . != 181 and . != 186 and . != 223) or (. > 8207 and . < 8251)) then .
    else error("A text has letters without one other form") end
  | map(if $upper then (if (. > 96 and . < 123) or (. > 223 and . < 255 and . != 247) then . - 32 else . end)
    elif (. > 64 and . < 91) or (. > 191 and . < 223 and . != 215) then . + 32 else . end) | implode;`,
  nth_of: `def nth_of($n): if type == "array" and length > $n and length >= -$n then .[$n]
  else error("There are fewer elements than the input speaks of") end;`,
  keys_of: `def keys_of: if . == [] then [] elif type != "object" then error("What is to be a map is none") else
  keys_unsorted | (map(select(test("\\\\A(?:0|[1-9][0-9]{0,9})\\\\z") and tonumber < 4294967295)) | sort_by(tonumber))
  as $numbers | $numbers + (. - $numbers) end;`,
  values_of: `def values_of: . as $map | keys_of | map($map[.]);`,
  entries_of: `def entries_of: . as $map | keys_of | map({key: ., value: $map[.]});`,
  pairs: `def pairs($left; $right): if ($left | list | length) != ($right | list | length)
  then error("A list is longer than the one beside it")
  else [range($left | length) | {left: $left[.], right: $right[.]}] end;`,
  some: `def some(fits): reduce (if type == "object" or type == "array" then .[] else empty end) as $part (false;
  if . then . else $part | fits end);`,
  zeros: `def zeros($n): [range($n) | "0"] | join("");`,
  numeral: `def numeral: if . == 0 then "0" else tostring
  | capture("\\\\A(?<sign>-?)(?<whole>[0-9]*)\\\\.?(?<part>[0-9]*)(?:[eE](?<power>[-+]?[0-9]+))?\\\\z")
  | (.whole + .part) as $all | ($all | sub("\\\\A0+"; "")) as $bare
  | ($bare | sub("0+\\\\z"; "")) as $digits | ($digits | length) as $count
  | ((.whole | length) - ($all | length) + ($bare | length) + (.power // "0" | tonumber)) as $place
  | .sign + (if $count <= $place and $place <= 21 then $digits + zeros($place - $count)
    elif 0 < $place and $place <= 21 then $digits[:$place] + "." + $digits[$place:]
    elif -6 < $place and $place <= 0 then "0." + zeros(-$place) + $digits
    else $digits[:1] + (if $count > 1 then "." + $digits[1:] else "" end)
      + "e" + (if $place > 0 then "+" else "" end) + ($place - 1 | tostring) end) end;`,
  text: `def text: if type == "string" then . elif type == "boolean" then tostring elif type == "number" then numeral
  else error("A part of the text is missing") end;`,
  said: `def said: text | if . == "" then error("A part of the text is missing") else . end;`,
  said_in: `def said_in($ends): said
  | if test($ends) then error("A part of the text would change what it stands in") else . end;`,
  joined: `def joined($by): list | map(text) | join($by);`,
  number: `def number: if type == "number" then .
  elif type == "string" and test("\\\\A${SPACE}*-?[0-9]+(?:\\\\.[0-9]+)?${SPACE}*\\\\z")
  then capture("(?<number>-?[0-9]+(?:\\\\.[0-9]+)?)").number | tonumber * 1.0
  else error("What is to be a number is none") end;`,
  integer: `def integer: number | (if . < 0 then ceil else floor end) + 0;`,
  truth: `def truth: told | . != false and . != 0;`,
  numbers: `def numbers_in($all): if all($all[]; type == "number") then . else error("What is to be calculated with is not a number") end;`,
  finite: `def finite: if isinfinite then error("What is to be calculated is no number") else . end;`,
  decimals: `def decimals: numeral | if contains("e") then 99 else (split(".")[1] // "" | length) end;`,
  rounded: `def rounded($decimals): finite | pow(10; $decimals) as $unit
  | if $decimals > 12 or (if . < 0 then -. else . end) * $unit >= 9007199254740992 then .
    else (. * $unit | round) / $unit + 0 end;`,
  plus: `def plus($a; $b): numbers_in([$a, $b]) | $a + $b | rounded([$a, $b] | map(decimals) | max);`,
  minus: `def minus($a; $b): numbers_in([$a, $b]) | $a - $b | rounded([$a, $b] | map(decimals) | max);`,
  times: `def times($a; $b): numbers_in([$a, $b]) | $a * $b | rounded([$a, $b] | map(decimals) | add);`,
  over: `def over($a; $b): numbers_in([$a, $b])
  | if $b == 0 then error("What is to be calculated is no number") else $a / $b | finite end;`,
  total: `def total: reduce list[] as $each (0; plus(.; $each));`,
  label: `def label_at($at): .[([0, $at - 60] | max):$at]
  | [capture("(?<label>[\\\\p{L}\\\\p{N}_-]+)[\\"']?${SPACE}?[:=]${SPACE}?[\\"']?\\\\z").label][0];`,
  part: `def part($after; $before): if type == "string" then . else error("What is to be a text is none") end | . as $text
  | (if $after == "" then "" else split($after) | if length > 1 then .[0] else ${NO_FORM} end end) as $head
  | ($head + $after | length) as $start | $text[$start:] as $rest
  | if ($after != "" and ($after[1:] + $rest | contains($after)))
      or (($after | test("\\\\A${LETTER}")) and ($head | test("[\\\\p{L}\\\\p{N}_-]\\\\z")))
    then error("A text has several parts of the form that is looked for") else . end
  | (if $before == "" then $rest else $rest | split($before) | if length > 1 then .[0] else ${NO_FORM} end end) as $part
  | if $part | contains("\\n") then error("A part of a text goes on in the next line") else . end
  | if $part | test("${LETTER}") | not then $part else
      ($part | gsub("(?<sign>[\\\\\\\\^$.*+?()\\\\[\\\\]{}|])"; "\\\\\\(.sign)")
        | gsub("(?<word>${LETTER}+)"; if (.word | test("\\\\p{N}")) and ($part | contains("@") | not)
            then "${LETTER}*\\\\p{N}${LETTER}*" else "${LETTER}+" end)) as $form
      | ($text | label_at($start)) as $own
      | [$text | match("(?<!${LETTER})\\($form)(?!${LETTER})"; "g") | select(.string != $part)
          | .offset as $at | $text | label_at($at) | select($own == null or . == null or . == $own)]
      | if . == [] then $part else error("A text has several parts of the form that is looked for") end end;`,
  piece_form: `def piece_form($kind): ${JSON.stringify(PIECE_FORMS)}[$kind];`,
  piece: `def piece($after; $before; $kind): if type == "string" then . else error("What is to be a text is none") end | . as $text
  | (if $before == "" then [$text, ""] else $text | split($before) end) as $ends
  | ($ends[:-1] | join($before)) as $rest
  | (if $after == "" then ["", $rest] else $rest | split($after) end) as $begins
  | if (if $before == "." then ($ends | length) > 1 and ($ends[-1] | test("\\\\A[A-Za-z][A-Za-z0-9]{0,4}\\\\z")) else ($ends | length) == 2 end)
      and (if $after == "/" then ($begins | length) > 1 else ($begins | length) == 2 end)
      and ($after == "" or ($text | split($after) | length) == ($begins | length))
    then $begins[-1] else ${NO_FORM} end
  | piece_form($kind) as $form
  | if test("\\\\A(?:\\($form))\\\\z") then . else error("A part of a text is of another kind than when the skill was learned") end;`,
  replaced: `def replaced($part; $by): if type == "string" then . else error("What is to be a text is none") end
  | ($part | gsub("(?<sign>[\\\\\\\\^$.*+?()\\\\[\\\\]{}|])"; "\\\\\\(.sign)")) as $form
  | (if $part | test("\\\\A${LETTER}") then "(?<!${LETTER}|_)" else "" end) as $letter
  | (if $part | test("\\\\A[0-9]") then $letter + "(?<![0-9][.-])" else $letter end) as $begin
  | (if $part | test("${LETTER}\\\\z") then "(?!${LETTER}|_)" else "" end) as $last
  | (if $part | test("[0-9]\\\\z") then $last + "(?![.-][0-9])" else $last end) as $tail
  | [match($begin + $form + $tail; "g") | .offset] as $places
  | if $places | length == 1 then .[:$places[0]] + $by + .[$places[0] + ($part | length):]
    else error("A part of a text stands there at none or several places") end;`,
  rounded_text: `def rounded_text($decimals): if type != "number" then error("What is to be rounded is no number") else . end
  | . as $value | (fabs * pow(10; $decimals)) as $scaled | ($scaled | floor) as $whole
  | if $scaled >= 1e12 then error("What is to be rounded is no number")
    elif ($scaled - $whole - 0.5 | fabs) < 1e-6 then error("It is not clear how a number is rounded") else . end
  | (if $scaled - $whole > 0.5 then $whole + 1 else $whole end | tostring) as $digits
  | ("0" * ([$decimals + 1 - ($digits | length), 0] | max) // "") + $digits
  | (length - $decimals) as $last
  | (if $value < 0 and ($digits | tonumber) > 0 then "-" else "" end) + .[:$last] + (if $decimals == 0 then "" else "." + .[$last:] end);`,
  excerpt: `def excerpt($part; $is_line): replaced($part; $part) / $part
  | if length != 2 then error("A part of a text stands there in a longer word, too")
    elif $is_line and (($part[:1] == "\\n" or (.[0] | test(if $part[-1:] == "\\n" then "(?:\\\\A|\\n)\\\\z" else "(?:\\\\A|\\n)[ \\t]*\\\\z" end))) and ($part[-1:] == "\\n" or (.[1] | test("\\\\A\\r?(?:\\n|\\\\z)"))) | not)
    then error("A part of a text is no line of its own, as it was when the skill was learned") else $part end;`,
  replaced_all: `def replaced_all($part; $by): if type == "string" then . else error("What is to be a text is none") end
  | ($part | gsub("(?<sign>[\\\\\\\\^$.*+?()\\\\[\\\\]{}|])"; "\\\\\\(.sign)")) as $form
  | (if $part | test("\\\\A${LETTER}") then "(?<!${LETTER}|_)" else "" end) as $letter
  | (if $part | test("\\\\A[0-9]") then $letter + "(?<![0-9][.-])" else $letter end) as $begin
  | (if $part | test("${LETTER}\\\\z") then "(?!${LETTER}|_)" else "" end) as $last
  | (if $part | test("[0-9]\\\\z") then $last + "(?![.-][0-9])" else $last end) as $tail
  | (if $part == "" then [] else [match($begin + $form + $tail; "g")] end | length) as $places
  | if $places > 0 and (. / $part | length) == $places + 1 then . / $part | join($by)
    else error("A part of a text stands there at no place, or in a longer word") end;`,
  // Days are counted from the first of March of the year 0, so that leap days end years.
  digits: `def digits($count): ("000" + tostring)[-$count:];`,
  timed: `def timed: if type == "string" and test("\\\\A[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?![0-9:]|\\\\s*[AaPp]\\\\.?[Mm])") then .
  else error("A date does not have the expected form") end;`,
  dated: `def dated: if type == "string" and length > 10 then timed else . end;`,
  moved: `def moved($days): [if type == "string" then capture("\\\\A(?!00)(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})(?:[T ](?<hour>[0-9]{1,2}):(?<minute>[0-9]{2})(?::(?<second>[0-9]{2}))?(?![0-9:]|\\\\s*[AaPp]\\\\.?[Mm]))?") else empty end]
  | if . == [] then error("A date does not have the expected form") else .[0] | map_values(. // "0" | tonumber) end
  | (.year * 12 + .month - 3) as $months | ($months / 12 | floor) as $year | ($months - $year * 12) as $month
  | (.hour * 3600 + .minute * 60 + .second) as $seconds
  | ($year * 365 + ($year / 4 | floor) - ($year / 100 | floor) + ($year / 400 | floor) + ((153 * $month + 2) / 5 | floor)
    + .day - 1 + $days + ($seconds / 86400 | floor)) as $date
  | ($date / 146097 | floor) as $era | ($date - $era * 146097) as $rest
  | ((($rest - ($rest / 1460 | floor) + ($rest / 36524 | floor) - ($rest / 146096 | floor)) / 365) | floor) as $years
  | ($rest - (365 * $years + ($years / 4 | floor) - ($years / 100 | floor))) as $day
  | ((5 * $day + 2) / 153 | floor) as $month | ($seconds % 86400) as $time
  | ($years + $era * 400 + (if $month < 10 then 0 else 1 end)) as $year
  | if $year < 0 or $year > 9999 then error("A date is beyond the calendar") else
    {YYYY: ($year | digits(4)), MM: (if $month < 10 then $month + 3 else $month - 9 end | digits(2)),
     DD: ($day - ((153 * $month + 2) / 5 | floor) + 1 | digits(2)),
     hh: ($time / 3600 | floor | digits(2)), mm: ($time % 3600 / 60 | floor | digits(2)), ss: ($time % 60 | digits(2))} end;`,
};

/** Code behind the helpers that it uses, and those that these use: there it is in parentheses, which some implementations need. */
export function withHelpers(code: string, inParentheses: string): string {
  const needed = new Set<string>();
  const need = (text: string): void => {
    // Neither keys nor variables; a word of a text that is called like a helper does no harm.
    const words = new Set(text.match(/(?<![.$"\w])\w+(?![\w:])/g));
    for (const [name, definition] of Object.entries(JQ_HELPERS)) {
      if (needed.has(name) || !words.has(calledAs(definition))) continue;
      needed.add(name);
      // A text may have code within.
      need(definition.replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) => (text.includes("\\(") ? text : "")));
    }
  };
  need(code);
  if (needed.size === 0) return code;
  const helpers = Object.entries(JQ_HELPERS).flatMap(([name, text]) => (needed.has(name) ? [text] : []));
  return [...helpers, inParentheses].join("\n");
}

function calledAs(definition: string): string {
  return /^def (\w+)/.exec(definition)?.[1] ?? "";
}

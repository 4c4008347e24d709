import type { FunctionGroups } from './names.js';

/** Functions of texts, JSON, addresses and codes. They compute from their arguments alone. */
export const TEXTS: FunctionGroups = {
  texts: `
    ascii basename byteSlice char{,_length,acter_length} compareSubstrings
    concat{,_ws,AssumeInjective,WithSeparator,WithSeparatorAssumeInjective}
    appendTrailingCharIfAbsent conv convertCharset caseFoldUTF8 decode{HTML,XML}Component
    encodeXMLComponent empty notEmpty extractTextFromHTML firstLine format initcap{,UTF8}
    isASCII isValid{ASCII,UTF8} {starts,ends}With{,CaseInsensitive}{,UTF8} left{,UTF8} leftPad{,UTF8}
    right{,UTF8} rightPad{,UTF8} length{,UTF8} octet_length lower{,UTF8} upper{,UTF8} lcase ucase
    lpad rpad ltrim rtrim trim{,Both,Left,Right} mid natural{SortKey,_sort_key}
    normalizeUTF8{NFC,NFD,NFKC,NFKD,NFKCCasefold} overlay{,UTF8} printf removeAccentsUTF8
    removeDiacriticsUTF8 repeat replace{,All,One,RegexpAll,RegexpOne} reverse{,UTF8,BySeparator} soundex
    space substr{,ing,ingUTF8,ingIndex,ingIndexUTF8} substring_index toValidUTF8 translate{,UTF8}
    stringBytes{Entropy,Uniq} visibleWidth bar`,
  'splitting texts': `
    alphaTokens arrayStringConcat array_to_string extractAllGroups{,Vertical,Horizontal} extractGroups
    naiveBayesNgrams ngrams splitBy{Alpha,Char,NonAlpha,Regexp,String,Whitespace} tokens
    tokensForLikePattern sparseGrams{,Hashes}{,UTF8} str_to_map extractKeyValuePairs{,WithEscaping}`,
  'searching texts': `
    countMatches{,CaseInsensitive} countSubstrings{,CaseInsensitive,CaseInsensitiveUTF8} extract{,All}
    hasAllToken{,s} hasAnyToken{,s} hasPhrase matchPhrase hasSubsequence{,CaseInsensitive}{,UTF8}
    hasToken{,CaseInsensitive}{,OrNull} highlight {,i,not,notI}like locate {,not}match{,CaseInsensitive}
    instr multiMatch{AllIndices,Any,AnyIndex} position{,CaseInsensitive}{,UTF8}
    multiSearch{AllPositions,Any,FirstIndex,FirstPosition}{,CaseInsensitive}{,UTF8}
    ngram{Distance,Search}{,CaseInsensitive}{,UTF8} regexpExtract regexp_extract regexpInstr
    regexp_instr regexpPosition regexpQuoteMeta regexp_{matches,replace,substr}`,
  'comparing texts': `
    byteHammingDistance mismatches stringJaccardIndex{,UTF8}`,
  JSON: `
    JSONAllPaths{,WithTypes} JSONAllValues JSONArrayLength JSON_array_length
    JSON{Dynamic,SharedData}Paths{,WithTypes} JSONExtract{,Bool,Float,Int,UInt,String,Raw}{,CaseInsensitive}
    JSONExtract{ArrayRaw,Keys,KeysAndValues,KeysAndValuesRaw}{,CaseInsensitive} JSONHas JSONKey JSONLength
    JSONType JSON_{exists,query,value} dynamic{Element,Type}
    isDynamicElementInSharedData isValidJSON prettyPrintJSON toJSONString variant{Element,Type}
    simpleJSON{Has,ExtractBool,ExtractFloat,ExtractInt,ExtractUInt,ExtractRaw,ExtractString}
    visitParam{Has,ExtractBool,ExtractFloat,ExtractInt,ExtractUInt,ExtractRaw,ExtractString}`,
  'addresses of pages': `
    URL{,Path}Hierarchy cutFragment cutQueryString{,AndFragment} cutURLParameter cutWWW
    cutToFirstSignificantSubdomain{,Custom}{,WithWWW}{,RFC} {en,de}codeURL{,Form}Component
    domain{,WithoutWWW}{,RFC} extractURLParameter{,s,Names} firstSignificantSubdomain{,Custom}{,RFC}
    fragment netloc path{,Full} port{,RFC} protocol queryString{,AndFragment} topLevelDomain{,RFC}`,
  'addresses of machines': `
    IPv{4,6}{CIDRToRange,NumToString} IPv{4,6}StringToNum{,OrDefault,OrNull} IPv4NumToStringClassC
    IPv4ToIPv6 cutIPv6 isIPAddressInRange isIPv{4,6}String toIPv{4,6}{,OrDefault,OrNull,OrZero}
    inet_{aton,ntoa} inet6_{aton,ntoa} MAC{NumToString,StringToNum,StringToOUI}`,
  codes: `
    base{32,58,64,64URL}{Encode,Decode} tryBase{32,58,64,64URL}Decode {to,from}_base64 bin unbin hex unhex
    bitmaskTo{Array,List} bitPositionsToArray {hilbert,morton,sqid}{Encode,Decode} sqid HMAC
    encrypt decrypt tryDecrypt aes_{en,de}crypt_mysql`,
  hashes: `
    CRC32{,IEEE} CRC64 MD4 MD5 halfMD5 RIPEMD160 SHA1 SHA{224,256,384,512} SHA512_256 URLHash cityHash64
    farmFingerprint64 farmHash64 {gcc,kafka}MurmurHash hiveHash icebergHash icebergBucket intHash{32,64}
    javaHash{,UTF16LE} {jump,kostik,yandex}ConsistentHash keccak256 metroHash64 murmurHash2_{32,64}
    murmurHash3_{32,64,128} {ngram,wordShingle}SimHash{,CaseInsensitive}{,UTF8}
    {ngram,wordShingle}MinHash{,Arg}{,CaseInsensitive}{,UTF8} sipHash64{,Keyed}
    sipHash128{,Keyed,Reference,ReferenceKeyed} wyHash64 xxHash{32,64,64Spark} xxh3{,_128}`,
  'texts of queries': `
    formatQuery{,SingleLine}{,OrNull} highlightQuery normalizeQuery{,KeepNames}
    normalizedQueryHash{,KeepNames} tokenizeQuery`,
};

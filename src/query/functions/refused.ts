import { namesOf, type FunctionGroups } from './names.js';

/**
 * Functions that somebody has looked at and left out, by reason. The reason ends the sentence "the
 * function …".
 */
const REFUSED: FunctionGroups = {
  'reads files or tells about the disk': 'file filesystem{Available,Capacity,Unreserved}',
  'asks a model or a service': `
    ai{Classify,Embed,Extract,Filter,Generate,Redact,Similarity,Translate} catboostEvaluate
    naiveBayesClassifier{,WithAllProbs,WithProb} assignCentroid hierarchicalKMeans`,
  'reads dictionaries, and there are none': `
    dictGet{,All,Children,Descendants,Hierarchy,Keys,OrDefault,OrNull,Root} dictHas dictIsIn
    dictGet{Date,DateTime,Float32,Float64,IPv4,IPv6,String,UUID}{,OrDefault}
    dictGet{U,}Int{8,16,32,64}{,OrDefault}
    region{Hierarchy,In} regionTo{Area,City,Continent,Country,District,Name,Population,TopContinent}`,
  'reaches tables by a name in its arguments': `
    joinGet{,OrNull} hasColumnInTable getMaxTableNameLengthForDatabase`,
  'only waits': 'sleep{,EachRow}',
  'tells about the machine, the service or its settings': `
    FQDN fullHostName hostName tcpPort serverUUID uptime buildId chdb authUser authenticatedUser
    connection{Id,_id} {current,default,enabled}{Profiles,Roles} currentHandler currentRequestURL
    get{ClientHTTPHeader,Macro,MergeTreeSetting,OSKernelVersion,ServerPort,ServerSetting}
    getSetting{,OrDefault} globalVariable hasThreadFuzzer initialQueryStartTime initial_query_start_time
    generateSerialID shard{Count,Num} showCertificate transaction{ID,LatestSnapshot,OldestSnapshot}
    zookeeperSessionUptime`,
  'is for those who work on the engine': `
    __actionName __applyFilter __bit{BoolMaskAnd,BoolMaskOr,SwapLastTwo,WrapperFunc} __getScalar
    __grouping{ForCube,ForGroupingSets,ForRollup,Ordinary} __patchPartitionID __scalarSubqueryResult
    __toYearCalendarOnly addressTo{Line,LineWithInlines,Symbol} demangle logTrace tid aggThrow flameGraph
    blockSerializedSize dumpColumnStructure getTypeSerializationStreams isMergeTreePartCoveredBy
    mergeTreePartInfo nested nothing{,Null,UInt64} validateNestedArraySizes formatQueryFromJSON
    parseQueryToJSON`,
  'makes data to test an engine with': `
    fuzz{Bits,Query} generateRandomStructure obfuscateQuery{,WithSeed}`,
  'writes in formats, and a format may read files for it': 'formatRow{,NoNewline} groupFormat',
  'takes a structure, and a structure may call functions': 'structureTo{CapnProto,Protobuf}Schema',
  'takes so long for some arguments that no limit stops it': `
    arrayAutocorrelation arrayLevenshteinDistance{,Weighted} arraySimilarity damerauLevenshteinDistance
    {edit,levenshtein}Distance{,UTF8} jaro{,Winkler}Similarity {JSON,json}MergePatch
    multiFuzzyMatch{AllIndices,Any,AnyIndex}`,
  'is for TimeSeries tables, and there are none': `
    timeSeriesCopyTag{,s} timeSeriesExtractTag timeSeriesGroupTo{SamplingKey,Tags} timeSeriesIdTo{Group,Tags}
    timeSeriesIdToTagsGroup timeSeriesJoinTags timeSeriesMetricTypeToSuffixes timeSeriesRemoveTag{,s}
    timeSeriesPrometheusValueToString timeSeriesRemoveAllTagsExcept timeSeriesReplaceTag timeSeriesStoreTags
    timeSeriesTagsGroupToTags timeSeriesTagsTo{Group,Map} timeSeriesThrowDuplicateSeriesIf
    timeSeries{BottomK,Limit,LimitK,TopK}Masks`,
  'is for another query language': `
    kql{Bin,BinAt,DateTimeBinAt,Divide,Multiply,ParameterCast,RangeCount,ToTimespan} pgGetUserById
    pgTableIsVisible pg_get_userbyid pg_table_is_visible`,
};

const REASONS = new Map(
  Object.entries(REFUSED).flatMap(([reason, names]) =>
    [...namesOf({ [reason]: names })].map((name) => [name, reason] as const),
  ),
);

/** Why a function is left out; undefined: nobody has looked at it. */
export function reasonAgainst(name: string): string | undefined {
  return REASONS.get(name);
}

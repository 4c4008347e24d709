import type { FunctionGroups } from './names.js';

/** Functions of arrays, maps, tuples, bitmaps and series, and of the rows of a query. */
export const COLLECTIONS: FunctionGroups = {
  arrays: `
    array array{All,AUC,AUCPR,PRAUC,ROCAUC,Avg,BottomK,Compact,Concat,Count,Difference}
    arrayCumSum{,NonNegative} array{Distinct,DotProduct,Element,ElementOrNull,Enumerate,EnumerateDense}
    arrayEnumerate{DenseRanked,Uniq,UniqRanked} array{Except,Exists,Fill,Filter,Flatten,FlattenedLength,Fold}
    array{First,Last}{,Index,OrNull} array{Intersect,JaccardIndex,Join,Map,Max,Min}
    arrayNormalizedGini arrayPartial{Shuffle,Sort,ReverseSort}
    array{Pop,Push}{Back,Front} array{Product,RandomSample,Reduce,ReduceInRanges,Remove,Resize}
    arrayReverse{,Fill,Sort,Split} array{Rotate,Shift}{Left,Right} array{Shingles,Shuffle,Slice}
    array{Sort,Split,Sum,SymmetricDifference,TopK,Transpose,Union,Uniq,WithConstant,Zip,ZipUnaligned}
    array_remove cardinality countEqual emptyArrayToSingle emptyArray{Date,DateTime,String}
    emptyArray{U,}Int{8,16,32,64} emptyArrayFloat{32,64} flatten {,not}has has{All,Any,Substr}
    indexOf{,AssumeSorted} randomHadamardTransform range replicate unnest`,
  maps: `
    map map{Add,All,Apply,Concat,Exists,ExtractKeyLike,ExtractValueLike,Filter,FromArrays,FromString}
    mapContains{,Key,Value,KeyLike,ValueLike} map_from_arrays map{Keys,Values,PopulateSeries,Subtract,Update}
    map{,Partial}{Sort,ReverseSort}`,
  tuples: `
    tuple tuple{Concat,Divide,DivideByNumber,Element,HammingDistance,IntDiv,IntDivByNumber,IntDivOrZero}
    tuple{IntDivOrZeroByNumber,Minus,Modulo,ModuloByNumber,Multiply,MultiplyByNumber,Names,Negate,Plus}
    tuplePositiveModuloByNumber tupleToNameValuePairs flattenTuple untuple vector{Difference,Sum}`,
  distances: `
    L{1,2,inf,p}{Distance,Norm,Normalize} L2Squared{Distance,Norm} L2DistanceTransposed{,Quantized}
    distanceL{1,2,2Squared,2Transposed,inf,p} norm{L1,L2,L2Squared,Linf,Lp} normalizeL{1,2,inf,p}
    cosineDistance{,Transposed,TransposedQuantized} distanceCosine{,Transposed}
    dotProduct{,Transposed,TransposedQuantized} scalarProduct{,Transposed}
    dequantizeInt8ToBFloat16 quantizeBFloat16ToInt8`,
  bitmaps: `
    bitmap{And,Andnot,Or,Xor}{,Cardinality} bitmap{Build,Cardinality,Contains,HasAll,HasAny,Max,Min}
    bitmap{SubsetInRange,SubsetLimit,ToArray,Transform} subBitmap
    numericIndexedVector{AllValueSum,Build,Cardinality,GetValue,ShortDebugString,ToMap}
    numericIndexedVectorPointwise{Add,Subtract,Multiply,Divide,Equal,NotEqual,Greater,GreaterEqual}
    numericIndexedVectorPointwise{Less,LessEqual}`,
  series: 'seriesDecomposeSTL seriesOutliersDetectTukey timeSeriesFromGrid timeSeriesRange',
  'rows of a query': `
    grouping blockNumber blockSize rowNumberIn{Block,AllBlocks} neighbor runningDifference
    runningDifferenceStartingWithFirstValue runningAccumulate runningConcurrency finalizeAggregation
    initializeAggregation partitionId icebergTruncate`,
  // What clients ask first, and drivers when they connect.
  'who asks what': `
    version revision displayName timezone serverTimezone database schema currentDatabase current_database
    currentSchemas current_schemas user currentUser current_user session_user queryID query_id
    currentQueryID current_query_id initialQueryID initial_query_id`,
};

/// The public types of modules that features import, without ours: a name of ours like one of these is ambiguous where both
/// are seen.
///
/// Read from the toolchain's symbol graphs (Swift 6.3) and from the sources of the pinned packages.
enum ExportedNames {
    /// The names by module. Swift's own are visible everywhere.
    static let byModule: [String: Set<String>] = [
        "ArgumentParser": words(
            """
            Argument ArgumentArrayParsingStrategy ArgumentHelp ArgumentVisibility ArrayParsingStrategy
            AsyncMainProtocol AsyncParsableCommand CleanExit CommandConfiguration CommandGroup CompletionKind
            CompletionShell DefaultAsFlagParsingStrategy EnumerableFlag ExitCode Flag FlagExclusivity FlagInversion
            NameSpecification Option OptionGroup ParentCommand ParsableArguments ParsableCommand
            SingleValueParsingStrategy ValidationError
            """),
        "Crypto": words(
            """
            AES ANSIKDFx963 ChaChaPoly CryptoASN1Error CryptoError CryptoKitASN1Error CryptoKitError
            CryptoKitMetaError Curve25519 DiffieHellmanKeyAgreement Digest HKDF HMAC HPKE HPKEDiffieHellmanPrivateKey
            HPKEDiffieHellmanPublicKey HPKEKEMPrivateKey HPKEKEMPrivateKeyGeneration HPKEKEMPublicKey
            HPKEPublicKeySerialization HashFunction HashedAuthenticationCode Insecure KEM KEMPrivateKey KEMPublicKey
            MD5Digest MLDSA65 MLDSA87 MLKEM1024 MLKEM768 MessageAuthenticationCode P256 P384 P521 RSAPSSSPKIError
            SHA1Digest SHA256 SHA256Digest SHA2_256 SHA2_384 SHA2_512 SHA384 SHA384Digest SHA3_256 SHA3_256Digest
            SHA3_384 SHA3_384Digest SHA3_512 SHA3_512Digest SHA512 SHA512Digest SharedSecret SymmetricKey
            SymmetricKeySize XWingMLKEM768X25519
            """),
        "Foundation": words(
            """
            AffineTransform AlignmentOptions BlockOperation Bundle ByteCountFormatter CGFloat CGPoint CGRect
            CGRectEdge CGSize CharacterSet Comparator CustomNSError DateFormatter DateIntervalFormatter Dimension
            EnergyFormatter FileHandle Formatter Host ISO8601DateFormatter IndexSet InflectionRule InputStream
            JSONSerialization LengthFormatter MassFormatter Measurement Morphology NSAffineTransform
            NSAffineTransformStruct NSArray NSAttributedString NSBinarySearchingOptions NSCache NSCacheDelegate
            NSCalendar NSCharacterSet NSCoder NSCoding NSComparisonPredicate NSCompoundPredicate NSCondition
            NSConditionLock NSCopying NSCountedSet NSData NSDate NSDateComponents NSDateInterval NSDecimalNumber
            NSDecimalNumberBehaviors NSDecimalNumberHandler NSDictionary NSEdgeInsets NSEnumerationOptions
            NSEnumerator NSError NSErrorDomain NSExceptionName NSExpression NSIndexPath NSIndexSet NSIndexSetIterator
            NSKeyedArchiver NSKeyedArchiverDelegate NSKeyedUnarchiver NSKeyedUnarchiverDelegate NSLocale NSLock
            NSLocking NSMeasurement NSMutableArray NSMutableAttributedString NSMutableCharacterSet NSMutableCopying
            NSMutableData NSMutableDictionary NSMutableIndexSet NSMutableOrderedSet NSMutableSet NSMutableString
            NSNotification NSNull NSNumber NSObject NSObjectProtocol NSOrderedSet NSOrthography NSPersonNameComponents
            NSPoint NSPointArray NSPointPointer NSPredicate NSRange NSRangePointer NSRect NSRectArray NSRectEdge
            NSRectPointer NSRecursiveLock NSRegularExpression NSSecureCoding NSSet NSSize NSSizeArray NSSizePointer
            NSSortDescriptor NSSortOptions NSString NSTextCheckingKey NSTextCheckingResult NSTimeZone NSURL
            NSURLComponents NSURLQueryItem NSUUID NSValue NSZone Notification NotificationQueue NumberFormatter
            ObjCBool Operation OperationQueue OutputStream PersonNameComponents PersonNameComponentsFormatter Pipe
            Port PortDelegate PortMessage Process Progress ProgressKind ProgressReporting ProgressUserInfoKey
            PropertyListSerialization QualityOfService RecoverableError ReferenceConvertible RunLoop Scanner
            SocketNativeHandle SocketPort Stream StreamDelegate StreamNetworkServiceTypeValue
            StreamSOCKSProxyConfiguration StreamSOCKSProxyVersion StreamSocketSecurityLevel StringTransform Thread
            Timer URLError URLFileResourceType URLResourceValues Unit UnitAcceleration UnitAngle UnitArea
            UnitConcentrationMass UnitConverter UnitConverterLinear UnitDispersion UnitDuration UnitElectricCharge
            UnitElectricCurrent UnitElectricPotentialDifference UnitElectricResistance UnitEnergy UnitFrequency
            UnitFuelEfficiency UnitIlluminance UnitInformationStorage UnitLength UnitMass UnitPower UnitPressure
            UnitSpeed UnitTemperature UnitVolume UserDefaults
            """),
        "FoundationEssentials": words(
            """
            AttributeContainer AttributeDynamicLookup AttributeScope AttributeScopes AttributedString
            AttributedStringKey AttributedStringProtocol AttributedSubstring Calendar CocoaError
            CodableAttributedStringKey CodableConfiguration CodableWithConfiguration ComparableComparator
            ComparisonResult ContiguousBytes Data DataProtocol Date DateComponents DateInterval Decimal
            DecodableAttributedStringKey DecodableWithConfiguration DecodingConfigurationProviding
            DiscontiguousAttributedSubstring DiscreteFormatStyle EncodableAttributedStringKey
            EncodableWithConfiguration EncodingConfigurationProviding Expression FileAttributeKey FileAttributeType
            FileManager FileManagerDelegate FileProtectionType FormatStyle IndexPath JSONDecoder JSONEncoder Locale
            LocalizedError MutableDataProtocol NotificationCenter OperatingSystemVersion POSIXError ParseStrategy
            ParseableFormatStyle Predicate PredicateBindings PredicateError PredicateExpression PredicateExpressions
            ProcessInfo PropertyListDecoder PropertyListEncoder ScopedAttributeContainer SortComparator SortOrder
            StandardPredicateExpression TimeInterval TimeZone URL URLComponents URLQueryItem URLResourceKey UUID
            """),
        "GRDB": words(
            """
            AdaptedFetchRequest AggregatingRequest AllColumns AllColumnsExcluding AnyCursor AnyDatabaseCancellable
            AnyDatabaseReader AnyDatabaseRegionConvertible AnyDatabaseWriter AnyFetchRequest AnySQLJSONExpressible
            Association AssociationAggregate AssociationToMany AssociationToOne AsyncValueObservation
            AsyncValueObservationScheduler BelongsToAssociation Column ColumnAssignment ColumnDefinition
            ColumnExpression ColumnInfo ColumnMapping CommonTableExpression Configuration Cursor
            CustomTransactionClock Database DatabaseAggregate DatabaseBackupProgress DatabaseCancellable
            DatabaseCollation DatabaseColumnDecodingStrategy DatabaseColumnEncodingStrategy DatabaseCursor
            DatabaseDataDecodingStrategy DatabaseDataEncodingStrategy DatabaseDateComponents
            DatabaseDateDecodingStrategy DatabaseDateEncodingStrategy DatabaseError DatabaseEvent DatabaseEventKind
            DatabaseFunction DatabaseFuture DatabaseMigrator DatabaseObjectID DatabasePool DatabasePreUpdateEvent
            DatabasePublishers DatabaseQueue DatabaseReader DatabaseRegion DatabaseRegionConvertible
            DatabaseRegionObservation DatabaseSchemaID DatabaseSchemaSource DatabaseSnapshot DatabaseSnapshotPool
            DatabaseSnapshotReader DatabaseUUIDEncodingStrategy DatabaseValue DatabaseValueConvertible
            DatabaseValueCursor DatabaseWriter DebugDumpFormat DefaultTransactionClock DerivableRequest
            DropFirstCursor DropWhileCursor DumpFormat DumpStream DumpTableHeaderOptions EmptyRowAdapter
            EncodableRecord EnumeratedCursor FTS3 FTS3Pattern FTS3TableDefinition FTS3TokenizerDescriptor FTS4
            FTS4ColumnDefinition FTS4TableDefinition FTS5 FTS5ColumnDefinition FTS5CustomTokenizer FTS5Pattern
            FTS5TableDefinition FTS5TokenCallback FTS5TokenFlags FTS5Tokenization FTS5Tokenizer
            FTS5TokenizerDescriptor FTS5WrapperTokenCallback FTS5WrapperTokenizer FastDatabaseValueCursor FetchRequest
            FetchableRecord FetchableRecordDecoder FilterCursor FilteredRequest FlattenCursor ForeignKey
            ForeignKeyDefinition ForeignKeyInfo ForeignKeyViolation GRDBSendableMetatype HasManyAssociation
            HasManyThroughAssociation HasOneAssociation HasOneThroughAssociation IndexInfo IndexOptions Inflections
            InsertionSuccess JSONColumn JSONDumpFormat JoinAssociation JoinableRequest LineDumpFormat ListDumpFormat
            MapCursor MutablePersistableRecord OrderedRequest PersistableRecord PersistenceConflictPolicy
            PersistenceContainer PersistenceError PersistenceSuccess PrefixCursor PrefixWhileCursor PreparedRequest
            PrimaryKeyInfo QueryInterfaceRequest QuoteDumpFormat RangeRowAdapter RecordCursor RecordError
            RenameColumnAdapter ResultCode Row RowAdapter RowCursor RowDecodingError SQL SQLDateModifier
            SQLExpressible SQLExpression SQLInterpolation SQLJSONExpressible SQLOrdering SQLOrderingTerm SQLRequest
            SQLSelectable SQLSelection SQLSpecificExpressible SQLStatementCursor SQLSubquery SQLSubqueryable
            SQLiteConnection SQLiteStatement ScopeAdapter SelectionRequest SharedValueObservation
            SharedValueObservationExtent Statement StatementArguments StatementBinding StatementColumnConvertible
            SuffixRowAdapter Table TableAlias TableAliasBase TableAlteration TableDefinition TableOptions TableRecord
            TableRequest TaskValueObservationScheduler TransactionClock TransactionObserver TypedRequest
            UpsertUpdateStrategy ValueObservation ValueObservationScheduler ValueReducer ValueReducers ViewOptions
            VirtualTableConfiguration VirtualTableModule VirtualTableOptions
            """),
        "HTTPTypes": words(
            """
            HTTP2ErrorCode HTTP3ErrorCode HTTPField HTTPFields HTTPRequest HTTPResponse
            """),
        "Hummingbird": words(
            """
            Application ApplicationConfiguration ApplicationProtocol ApplicationRequestContextSource
            BasicRequestContext CORSMiddleware CacheControl CallbackResponder ChildRequestContext
            ContentSecurityMiddleware ContentSecurityPolicy Cookie Cookies CoreRequestContext
            CoreRequestContextStorage EditedResponse EndpointPath Environment EventLoopGroupProvider FileIO
            FileMiddleware FileMiddlewareFileAttributes FileProvider HBApplication HBApplicationConfiguration
            HBApplicationProtocol HBBaseRequestContext HBBasicRequestContext HBCORSMiddleware HBCacheControl
            HBCallbackResponder HBCookie HBCookies HBCoreRequestContext HBEditedResponse HBEnvironment HBFileIO
            HBFileMiddleware HBHTTPError HBHTTPResponseError HBLogRequestsMiddleware HBMediaType HBMemoryPersistDriver
            HBMetricsMiddleware HBMiddlewareGroup HBMiddlewareProtocol HBPersistDriver HBPersistError HBRequestContext
            HBRequestDecoder HBResponder HBResponderBuilder HBResponseCodable HBResponseEncodable HBResponseEncoder
            HBResponseGenerator HBRouter HBRouterGroup HBRouterMethods HBRouterOptions HBRouterPath
            HBTracingMiddleware HTTPError HTTPResponder HTTPResponderBuilder HTTPResponseError InitializableFromSource
            LocalFileSystem LogRequestsMiddleware MediaType MemoryPersistDriver MetricsMiddleware
            MiddlewareFixedTypeBuilder MiddlewareGroup MiddlewareProtocol Parameters PersistDriver PersistError
            RemoteAddressRequestContext RequestContext RequestContextSource RequestDecoder RequestID ResponseCodable
            ResponseEncodable ResponseEncoder ResponseGenerator RouteCollection Router RouterGroup RouterMethods
            RouterMiddleware RouterOptions RouterPath RouterPathTrieBuilder RouterResponder RouterTrie
            RouterValidationError TracingMiddleware URLEncodedFormDecoder URLEncodedFormEncoder URLEncodedFormError
            """),
        "HummingbirdCore": words(
            """
            AvailableConnectionsDelegate BindAddress FlatDictionary HBRequest HBRequestBody HBResponse HBResponseBody
            HBResponseBodyWriter HBServer HBServerConfiguration HBURL HTTP1Channel HTTPChannelHandler
            HTTPConnectionStateHandler HTTPServerBuilder HTTPUserEventHandler MaximumAvailableConnections Request
            RequestBody Response ResponseBody ResponseBodyWriter ResponseWriter Server ServerChildChannel
            ServerChildChannelValue ServerConfiguration TSTLSOptions URI
            """),
        "HummingbirdTesting": words(
            """
            HBXCTClient HBXCTClientProtocol HBXCTResponse TestClient TestClientProtocol TestHTTPScheme TestResponse
            TestingSetup
            """),
        "Logging": words(
            """
            LogEvent LogHandler Logger LoggingSystem MultiplexLogHandler StreamLogHandler SwiftLogNoOpLogHandler
            """),
        "NIOCore": words(
            """
            AcceptBackoffHandler AdaptiveRecvByteBufferAllocator AddressedEnvelope AllocatorOption
            AllowRemoteHalfClosureOption AutoReadOption BackPressureHandler BacklogOption ByteBuffer
            ByteBufferAllocator ByteBufferView ByteToMessageDecoder ByteToMessageDecoderError ByteToMessageHandler
            Channel ChannelCore ChannelDuplexHandler ChannelError ChannelEvent ChannelHandler ChannelHandlerContext
            ChannelInboundHandler ChannelInboundInvoker ChannelInvoker ChannelOption ChannelOptions
            ChannelOutboundHandler ChannelOutboundInvoker ChannelPipeline ChannelPipelineError
            ChannelShouldQuiesceEvent CircularBuffer CloseMode ConnectTimeoutOption DatagramChannelError DecodingState
            Endianness EventLoop EventLoopError EventLoopFuture EventLoopGroup EventLoopIterator EventLoopPromise
            FileDescriptor FileRegion FixedSizeRecvByteBufferAllocator IOData IOError IdleStateHandler
            MarkedCircularBuffer MaxMessagesPerReadOption MessageToByteEncoder MessageToByteHandler MulticastChannel
            NIOAny NIOAsyncChannel NIOAsyncChannelInboundStream NIOAsyncChannelOutboundWriter NIOAsyncSequenceProducer
            NIOAsyncSequenceProducerDelegate NIOAsyncWriter NIOAsyncWriterError NIOAsyncWriterSinkDelegate
            NIOBSDSocket NIOBinaryIntegerEncodingStrategy NIOClientTCPBootstrap NIOClientTCPBootstrapProtocol
            NIOClientTLSProvider NIOCloseOnErrorHandler NIODeadline NIODecodedAsyncSequence NIOEventLoopGroupProvider
            NIOFileHandle NIOIPProtocol NIOInsecureNoTLS NIOIsolatedEventLoop NIOLinger NIOLoopBound NIOLoopBoundBox
            NIOMulticastNotImplementedError NIOMulticastNotSupportedError NIONetworkDevice NIONetworkInterface
            NIOPOSIXFileMode NIOPacketInfo NIOPooledRecvBufferAllocator NIOPreconcurrencySendable NIOScheduledCallback
            NIOScheduledCallbackHandler NIOSendable NIOSerialEventLoopExecutor NIOSingletons
            NIOSplitLinesMessageDecoder NIOSplitUTF8LinesMessageDecoder NIOSynchronousChannelOptions
            NIOThrowingAsyncSequenceProducer NIOTooManyBytesError RecvAllocatorOption RecvByteBufferAllocator
            RemovableChannelHandler RepeatedTask Scheduled SocketAddress SocketAddressError SocketOption
            SocketOptionLevel SocketOptionName SocketOptionProvider SocketOptionValue System TimeAmount
            WriteBufferWaterMark WriteBufferWaterMarkOption WriteSpinOption
            """),
        "Observation": words(
            """
            Observable ObservationRegistrar Observations
            """),
        "Swift": words(
            """
            Actor AdditiveArithmetic AnyActor AnyBidirectionalCollection AnyClass AnyCollection AnyHashable AnyIndex
            AnyIterator AnyKeyPath AnyObject AnyRandomAccessCollection AnySequence Array ArraySlice
            AsyncIteratorProtocol AsyncSequence AsyncStream AsyncThrowingStream BidirectionalCollection
            BidirectionalIndexable BidirectionalSlice BinaryFloatingPoint BinaryInteger BitwiseCopyable Bool
            BooleanLiteralType CBool CChar CChar16 CChar32 CChar8 CDouble CFloat CFloat16 CInt CLong CLongDouble
            CLongLong CShort CSignedChar CUnsignedChar CUnsignedInt CUnsignedLong CUnsignedLongLong CUnsignedShort
            CVaListPointer CVarArg CWideChar CancellationError CaseIterable Character CheckedContinuation Clock
            ClosedRange ClosedRangeIndex Codable CodingKey CodingKeyRepresentable CodingUserInfoKey Collection
            CollectionDifference CollectionOfOne CommandLine Comparable ConcurrentValue ContiguousArray
            ContinuousClock Copyable CountableClosedRange CountablePartialRangeFrom CountableRange
            CustomDebugStringConvertible CustomLeafReflectable CustomPlaygroundQuickLookable CustomReflectable
            CustomStringConvertible Decodable Decoder DecodingError DefaultBidirectionalIndices DefaultIndices
            DefaultRandomAccessIndices DefaultStringInterpolation Dictionary DictionaryIndex DictionaryIterator
            DictionaryLiteral DiscardingTaskGroup DiscontiguousSlice Double DropFirstSequence DropWhileSequence
            Duration DurationProtocol EmptyCollection EmptyIterator Encodable Encoder EncodingError EnumeratedIterator
            EnumeratedSequence Equatable Error Escapable Executor ExecutorJob ExtendedGraphemeClusterType
            FixedWidthInteger FlattenBidirectionalCollection FlattenCollection FlattenCollectionIndex FlattenSequence
            Float Float16 Float32 Float64 Float80 FloatLiteralType FloatingPoint FloatingPointClassification
            FloatingPointRoundingRule FloatingPointSign GlobalActor Hashable Hasher Identifiable Indexable
            IndexableBase IndexingIterator InlineArray InstantProtocol Int Int128 Int16 Int32 Int64 Int8
            IntegerLiteralType IteratorOverOne IteratorProtocol IteratorSequence JoinedIterator JoinedSequence KeyPath
            KeyValuePairs KeyedDecodingContainer KeyedDecodingContainerProtocol KeyedEncodingContainer
            KeyedEncodingContainerProtocol LosslessStringConvertible MainActor ManagedBuffer ManagedBufferPointer
            MemoryLayout Mirror MirrorPath MutableBidirectionalSlice MutableCollection MutableIndexable
            MutableRandomAccessSlice MutableRangeReplaceableSlice MutableRawSpan MutableSlice MutableSpan Never
            Numeric ObjectIdentifier OpaquePointer OptionSet Optional OutputRawSpan OutputSpan PartialKeyPath
            PartialRangeFrom PartialRangeThrough PartialRangeUpTo PlaygroundQuickLook PrefixSequence
            RandomAccessCollection RandomAccessIndexable RandomAccessSlice RandomNumberGenerator Range RangeExpression
            RangeReplaceableCollection RangeReplaceableIndexable RangeReplaceableSlice RangeSet RawRepresentable
            RawSpan ReferenceWritableKeyPath Regex RegexComponent Repeated Result ReversedCollection ReversedIndex
            ReversedRandomAccessCollection Sendable SendableMetatype Sequence SerialExecutor Set SetAlgebra SetIndex
            SetIterator SignedInteger SignedNumeric SingleValueDecodingContainer SingleValueEncodingContainer Slice
            Span StaticBigInt StaticString StrideThrough StrideThroughIterator StrideTo StrideToIterator Strideable
            String StringInterpolationConvertible StringInterpolationProtocol StringLiteralType StringProtocol
            Substring SuspendingClock SystemRandomNumberGenerator Task TaskExecutor TaskGroup TaskLocal TaskPriority
            TextOutputStream TextOutputStreamable ThrowingDiscardingTaskGroup ThrowingTaskGroup UInt UInt128 UInt16
            UInt32 UInt64 UInt8 UTF16 UTF32 UTF8 UTF8Span UnboundedRange UnboundedRange_ UnfoldFirstSequence
            UnfoldSequence Unicode UnicodeCodec UnicodeDecodingResult UnicodeScalar UnicodeScalarType
            UnkeyedDecodingContainer UnkeyedEncodingContainer Unmanaged UnownedJob UnsignedInteger Void
            WritableKeyPath Zip2Iterator Zip2Sequence
            """),
        "Synchronization": words(
            """
            Atomic AtomicLazyReference AtomicLoadOrdering AtomicOptionalRepresentable AtomicRepresentable
            AtomicStoreOrdering AtomicUpdateOrdering Mutex WordPair
            """),
        "Testing": words(
            """
            Attachable AttachableWrapper Attachment Bug Comment ConditionTrait Confirmation
            CustomTestArgumentEncodable CustomTestStringConvertible ExitStatus ExitTest Expectation
            ExpectationFailedError Issue IssueHandlingTrait KnownIssueMatcher ParallelizationTrait SourceLocation
            SuiteTrait Tag Test TestScoping TestTrait TimeLimitTrait Trait
            """),
    ]

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
